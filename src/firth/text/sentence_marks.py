"""Characters that end sentences, in all scripts.

Marks are of two kinds. `SPACED` end one only before white space, so that `3.14` and `Yahoo!s` hold no end. `FREE` end
one before anything: those of scripts without spaces, and of others where the mark has no other use.

Source: the property Sentence_Terminal of the Unicode Character Database 18.0, file PropList.txt. Departures, by the
usage of each script:

- commas are left out: `၊` of Burmese, `꧈` of Javanese, `᭞` of Balinese;
- added are `…`, `‥`, the shads of Tibetan, the Hebrew sof pasuq, and the marks of Thai and Khmer that end a text;
- some marks are written as characters that have another use: the Greek question mark as `;` (its NFC form), the
  Armenian full stop as `:`, the Ethiopic one as two word spaces. They count behind a letter of their script.
"""

_SENTENCE_TERMINAL = """
    21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 104A-104B 1362 1367-1368 166E 1735-1736 17D4-17D5 1803
    1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B 1B5E-1B5F 1B7D-1B7F 1C3B-1C3C 1C7E-1C7F 2024 203C-203D 2047-2049
    2CF9-2CFB 2E2E 2E3C 2E53-2E54 2E60-2E61 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F A9C8-A9C9 AA5D-AA5F
    AAF0-AAF1 ABEB FE12 FE15-FE16 FE52 FE56-FE57 FF01 FF0E FF1F FF61 10A56-10A57 10F55-10F59 10F86-10F89 11047-11048
    110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C 112A9 113D4-113D5 1144B-1144C
    115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 11A42-11A43 11A9B-11A9C 11C41-11C42 11EF7-11EF8
    11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 16B44 16D6E-16D6F 16E98 1BC9F 1DA88
"""


def _characters(ranges: str) -> str:
    ends = (each.partition("-") for each in ranges.split())
    return "".join(chr(code) for first, _, last in ends for code in range(int(first, 16), int(last or first, 16) + 1))


SENTENCE_TERMINAL = _characters(_SENTENCE_TERMINAL)
COMMAS = "\u104a\ua9c8\u1b5e"
SHADS = "།༎༏༐༑༒༔"
SPACED = ".!?…‥\u2024‼‽⁇⁈⁉⸮⸼\u2e53\u2e54\u166e"
FREE = "".join(sorted({*SENTENCE_TERMINAL} - {*SPACED, *COMMAS})) + SHADS + "\u05c3\u0e5a\u0e5b\u17da"
# All of them and some more, because a class without single characters beyond U+FFFF is found much faster.
ANY = SPACED + "".join(each for each in FREE if each < "\U00010000") + "\U00010a56-\U0001da88"
# Ranges of regular expressions.
GREEK, ARMENIAN, ETHIOPIC = "\u0370-\u03ff\u1f00-\u1fff", "\u0531-\u0588", "\u1200-\u135a"
# Scripts that are written without spaces: Thai, Lao, Tibetan, Burmese, Khmer, Kana and Han.
UNSPACED = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1780-\u17d3\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
