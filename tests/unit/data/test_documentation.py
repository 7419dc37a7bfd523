from firth.data import documentation


def test_strings_are_found_as_python_has_them(tmp_path):
    source = tmp_path / "source.py"
    source.write_text(
        '"""One \\"""quoted\\""" text."""\n'
        '# a """ in a comment\n'
        'x = \'"""\'\n'
        "y = 'it\\'s'\n"
        "def f():\n    '''Two.'''\n"
        "z = \"'''\"\n"
        'last = """Three "quoted"."""\n',
        encoding="utf-8",
    )
    found = [text for text in documentation._strings_in(source) if text]
    assert found == ['One \\"""quoted\\""" text.', "Two.", 'Three "quoted".']


def test_prose_is_kept_and_code_is_not():
    text = """Return the sum of
    two numbers that are `given`.

    >>> add(1, 2)
    3

    a | b | c
    1 | 2 | 3

    The result_name of np.add() is always a number.
    """
    assert list(documentation._prose(text)) == [
        "Return the sum of two numbers that are `given`.",
        "The of is always a number.",
    ]


def test_the_documentation_of_this_python_is_plenty(monkeypatch):
    monkeypatch.setattr(documentation, "PACKAGES", ("typer", "no_such_package"))
    found = documentation.paragraphs()
    words = " ".join(found).split()
    assert len(words) > 200_000
    assert len(found) == len(set(found))
    assert words.count("string") > 500
