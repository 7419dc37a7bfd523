"""Sentences in the code pages that people keep them in, and what tells the pages apart."""

import pytest

from firth.storage.code_pages import detected

SENTENCES = {
    "cp1252": (
        "Le garçon a mangé à l’école, où l’été était déjà là; ça, c’était l’œuvre d’un naïf.",
        "El niño comió ayer en la habitación pequeña. ¿Qué pasó después, señor?",
        "Die Straße führt über grüne Hügel, „schön“ für müde Füße.",
        "“It’s late,” she said — and left the café.",
        "Não há razão para a situação; as ações são más.",
        "Åsa går på isen och äter röda bär på ön.",
        "Habló, comió, pasó y se marchó.",
        "Vide o n.º 1, o 2.º e a 3.ª do art. 4.º",
        "sääntö ja pää",
        "Føroyar eru eitt oyggjaland og maðurin í bygdini hoyrdi ein stóran dýran fugl úti á skerinum.",
    ),
    "cp1250": (
        "Zażółć gęślą jaźń, bo świat jest piękny i żółty.",
        "Příliš žluťoučký kůň úpěl ďábelské ódy.",
        "Árvíztűrő tükörfúrógép, hosszú őszi eső.",
        "Wšitcy čłowjekojo su wot naroda swobodni a su jenacy po dostojnosći a prawach; maja zmysł.",
    ),
    "iso8859_2": ("Zażółć gęślą jaźń, bo świat jest piękny i żółty.",),
    "mac_roman": ("Le garçon a mangé à l’école, où l’été était déjà là.",),
    "cp850": ("Die Straße führt über grüne Hügel, schön für müde Füße.", "Så spiste han brød på øen."),
    "iso8859_3": ("Ĉiuj homoj estas denaske liberaj; ili ĝoje ŝanĝas la ĵurnalon ĉiuĵaŭde.",),
    "iso8859_6": ("يولد جميع الناس أحرارا متساوين في الكرامة والحقوق",),
    "cp1251": ("Все люди рождаются свободными и равными.", "Усі люди народжуються вільними і рівними."),
    "koi8_r": ("Все люди рождаются свободными и равными.",),
    "cp866": ("Все люди рождаются свободными и равными.",),
    "cp1253": ("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι.",),
    "cp1254": ("İnsanlar eşit doğar; ışığın gücü, şehrin çığlığı.",),
    "cp1255": ("כל בני האדם נולדו בני חורין ושווים בערכם",),
    "cp1256": ("يولد جميع الناس أحراراً متساوين في الكرامة",),
    "cp1257": ("Visi žmonės gimsta laisvi ir lygūs, čia ąžuolų šešėlyje.",),
    "cp932": ("すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。人間は理性を持つ。",),
    "euc_jp": ("すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。人間は理性を持つ。",),
    "gb18030": ("人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。" * 2,),
    "big5": ("人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。" * 2,),
    "cp949": ("모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",),
    "cp874": ("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",),
}


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, texts in SENTENCES.items() for text in texts])
def test_the_text_comes_back(page, text):
    found = detected(text.encode(page))
    assert found is not None
    assert text.encode(page).decode(found) == text


@pytest.mark.parametrize("content", [bytes(range(128, 256)), b"\x01\x02\xe9\x03" * 9, b"plain", b""])
def test_what_is_of_no_page(content):
    assert detected(content) is None


@pytest.mark.parametrize("text", ["pence 2; ¢ 1; dollar", "it’s", "5½ pounds, or £4", "a naïf"])
def test_a_lone_sign_is_not_taken_for_japanese(text):
    """Bytes such as A2 are half-width characters of cp932, which would then be the only ones of their text."""
    assert detected((text + "\n").encode("cp1252")) == "cp1252"


def test_much_valid_utf8_happens_only_in_double_bytes():
    assert detected("naïve café".encode("cp1252"), mixed=True) is None
    assert detected(SENTENCES["euc_jp"][0].encode("euc_jp"), mixed=True) == "euc_jp"


@pytest.mark.parametrize("encoding", ["cp1253", "iso8859_7"])
def test_a_capital_alpha_with_an_accent(encoding):
    """Its byte in one of two Greek pages is an apostrophe in the other."""
    text = "Άνθρωποι της θάλασσας, η Άννα και ο Άρης μίλησαν με τον Άγγελο.\n" * 5
    assert detected(text.encode(encoding)) == encoding
