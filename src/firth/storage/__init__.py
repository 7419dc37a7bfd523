"""Files and folders on disk: written aside and swapped in, checked against checksums, read with limits."""
