"""Running text to sentences."""

import re
import tarfile
import unicodedata
import zipfile

import pytest

from firth.errors import OptionError
from firth.text.sentence_ends import ANY, COMMAS, FREE, SENTENCE_TERMINAL, SPACED, sentence_spans, split_sentences

SCRIPTS = {  # ¦ is where a sentence ends
    "Latin": "One.¦ Two!¦ Three?¦ Four",
    "Greek": "Πού πας;¦ Έρχομαι.¦ Καλά\u037e¦ Ναι· όχι.",
    "Cyrillic": "Он пришёл.¦ Она ушла!",
    "Georgian": "ის მოვიდა.¦ მან თქვა.",
    "Armenian": "Նա եկավ։¦ Դու գնացի՞ր։¦Այո, ես գնացի:¦ Ոչ։",
    "Hebrew": "הוא בא.¦ היא הלכה?¦ כן׃¦ לא",
    "Arabic": "جاء الولد.¦ هل ذهب؟¦ نعم، ذهب!",
    "Urdu": "وہ آیا۔¦ وہ گئی۔¦کیوں؟¦ اچھا",
    "Syriac": "ܐܬܐ܂¦ ܐܙܠ܀",
    "Thaana": "އޭނާ އައި.¦ އޭނާ ދިޔަ؟",
    "N'Ko": "ߊ߬ ߣߊ߬ ߘߊ߫߹¦ ߊ߬ ߕߊ߯ ߘߊ߫߹",
    "Devanagari": "वह आया।¦ वह गई।¦वह रुका॥¦ श्लोकः ॥ १२ ॥¦ अन्यः",
    "Bengali": "সে এল।¦ সে গেল?¦ হ্যাঁ।",
    "Gurmukhi": "ਉਹ ਆਇਆ ।¦ ਉਹ ਗਈ ।",
    "Tamil": "அவன் வந்தான்.¦ அவள் போனாள்.",
    "Ol Chiki": "ᱩᱱᱤ ᱦᱮᱡ ᱮᱱᱟ᱾¦ ᱩᱱᱤ ᱪᱟᱞᱟᱣ ᱮᱱᱟ᱾",
    "Meetei": "ꯃꯍꯥꯛ ꯂꯥꯛꯏ꯫¦ ꯃꯍꯥꯛ ꯆꯠꯏ꯫",
    "Thai": "เขามา เธอไป ฯลฯ และ ๒.๕ บาท",
    "Lao": "ລາວມາ ນາງໄປ",
    "Tibetan": "ཁོ་འོང་གི་རེད། །¦མོ་དང་། ཁོ་འགྲོ།¦ ང་སྡོད།",
    "Burmese": "သူ၊ မောင်လှ၊ လာသည်။¦ သူမ သွားသည်။¦အိမ်",
    "Khmer": "គាត់មក។¦គាត់ទៅ។¦ បាយ ទឹក។ល។¦ ល្អ៕",
    "Ethiopic": "እሱ መጣ።¦ እሷ ሄደች።፡¦ለምን፧¦ አዎ፡፡¦ እሺ",
    "Canadian": "ᐃᓄᒃ ᐊᐃᕗᖅ᙮¦ ᐃᓄᒃ ᐅᑎᖅᐳᖅ᙮",
    "Cherokee": "ᎠᏂᎦᎵ ᎤᎷᏨ.¦ ᎤᏪᏅᏒ.",
    "Mongolian": "ᠪᠢ ᠢᠷᠡᠪᠡ᠃¦ ᠴᠢ ᠶᠠᠪᠤᠪᠠ᠃",
    "Tifinagh": "ⵉⴷⴷⴰ ⴷ.¦ ⵜⴷⴷⴰ.",
    "Vai": "ꕉ ꕮ ꘋ꘎¦ ꕉ ꗪ ꘋ꘏",
    "Javanese": "ꦥꦶꦠꦶꦏ꧈ ꦱꦥꦶ꧉¦ꦮꦺꦢꦸꦱ꧉",
    "Tagalog": "ᜐᜒᜌ ᜀᜌ᜔᜶¦ ᜁᜃᜏ᜔᜶",
    "Yi": "ꆀꆏꀋꉬ。¦ꊿꊂꋍꈨ。",
    "Hangul": "그가 왔다.¦ 그녀가 갔다!",
    "Han": "他来了。¦她走了！¦“好吗？”¦他问：“好？”，她说。¦你好吗?¦好!",
    "Kana": "これは文です。¦「はい。」と言った。¦「はい。」¦終わり．¦３．１４だ｡",
    "Brahmi": "𑀅𑀆𑁇¦ 𑀇𑀈𑁈",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_marks_of_all_scripts(script):
    text = SCRIPTS[script]
    expected = [sentence.strip() for sentence in text.split("¦")]
    assert [sentence.rstrip("፡") for sentence in split_sentences(text.replace("¦", ""))] == [
        each.rstrip("፡") for each in expected
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. and Mrs. Dashwood lived at St. James. They left.", 2),
        ('"Stop!" he cried. "Why?" She ran.', 3),
        ("It rained... and it rained... It stopped.", 2),
        ("See No. 7 on p. 12. He said no. 7 men left", 2),
        ("J. R. R. Tolkien wrote. So did I. Then I slept.", 3),
        ("It costs 3.14 dollars, e.g. here; at 5 p.m. we left.", 1),
        ("(He left.) [She stayed.] 3 men came.", 3),
        ("Qué dijo. ¿Vino? Sí.", 3),
        ("The U.S. Army came at 5 p.m. The men of Smith Inc. It works for the U.S. We know.", 4),
        ("1. Open the file. 2. Close it. A. Yes.", 3),
        ("He wrote it.[2] She read it. [3] [4] They left. [...] Nobody (?) Nothing came.", 4),
        ("Great! :-) More of it. 😀 Thanks! 👍🏽👍🏽 Bye", 4),
        ('How ? " , she asked . " Why ? " . Nobody ( see p . 3 . ) Then . . . The end .', 5),
        ("“Why?” – she asked – “Who?”, he said. (He laughed!), she thought", 2),
        ("He said it's fine art. We agree. Call him Max. Bring the rag. No.", 5),
        ("Il a dit : « Non ! » Puis il partit. « Oui ? » demanda-t-elle. Er sagte: »Nein.« Dann ging er.", 5),
        ("Ça va ! Kom. 's Avonds regent het. Gut.“ Er ging.", 5),
        ("The words πρόσωπον; Greek, and 1:2. Nothing else", 2),
        ("no end", 1),
        ("Ends with a full stop. ", 1),
        ("", 0),
        (" \n ", 0),
    ],
)
def test_number_of_sentences(text, count):
    found = split_sentences(text)
    assert len(found) == count, found


LANGUAGES = [
    ("de", "Am 3. Mai kam z. B. Frau Dr. Maier mit ca. 100 Leuten in die Goethe-Str. 7, vgl. Abb. 3.¦ Der 2. Tag."),
    (
        "de",
        "Ludwig XIV. König, Wilhelm I. Kaiser usw. Dinge bzw. Orte.¦ Er wurde 3.¦ Das war 1990.¦ Danach kam nichts.",
    ),
    ("it", "Il sig. Rossi, il dott. Bianchi e l'avv. Verdi, v. art. 5, pag. 7.¦ Il film ecc.¦ Tutto."),
    ("es", "El Sr. García y Dña. Ana viven en EE. UU. desde el núm. 7.¦ La casa, etc.¦ Todo."),
    ("fr", "M. Dupont et Mme. Martin, cf. p. 12, vol. XVII, au 3 bd. Voltaire.¦ C'est tout etc.¦ Fin."),
    ("pt", "O Sr. Silva e a Dra. Souza, p. ex. Ana, na Av. Brasil, n.º 7.¦ O fim."),
    ("nl", "Dhr. Jansen en mevr. De Vries, d.w.z. Jan, zie blz. 12.¦ Het einde enz.¦ 's Avonds."),
    ("ru", "В г. Москве на ул. Ленина жил А. С. Пушкин, т. е. Поэт, см. рис. 3.¦ В 1990 г.¦ Он умер и т. д.¦ Все."),
    ("uk", "У м. Києві на вул. Хрещатик живе проф. Іваненко.¦ Він тут."),
    ("bg", "Г-н Иванов и проф. Петров на ул. Шипка.¦ Това е всичко."),
    (
        "pl",
        "Prof. Kowalski i św. Jan, tzw. Wielki, ul. Długa, na str. 7, w 2. Brygadzie, im. Jana.¦ To koniec itd.¦ Tak.",
    ),
    ("cs", "Dr. Novák a tzv. Velký, např. Jan, bydlí v ul. Dlouhá, 5. Května, č. 7.¦ To je vše atd.¦ Ano."),
    ("tr", "Prof. Dr. Ali 3. Ordu ile II. Mahmut, bkz. Harita, Atatürk Cad. No. 7.¦ Bu son vb.¦ Evet."),
    ("hu", "Dr. Kovács és özv. Nagyné, ún. Kis, III. Béla, a 7. Hadsereg.¦ Az vége stb.¦ Igen."),
    ("sv", "Prof. Berg, t.ex. Anna, bl.a. Karl XII. Han kom.¦ Det var s. 7."),
    ("fi", "Tri Virtanen, esim. Anna, Kaarle XII. Armeija, s. 7.¦ Se on jne.¦ Niin."),
    ("ro", "Dl. Popescu și dna. Ionescu, str. Lungă nr. 7.¦ El a venit etc.¦ Da."),
    ("el", "Ο κ. Παπάς και η κα. Άννα, π.χ. Αθήνα, βλ. σελ. 7.¦ Το τέλος."),
    ("vi", "Ông ở TP. Hồ Chí Minh với TS. Lan và GS. Nam.¦ Tôi về v.v.¦ Xong."),
    ("ar", "جاء د. أحمد من ص. 7.¦ ثم ذهب."),
    ("ka", "პროფ. ბერიძე ცხოვრობს ქ. თბილისში.¦ ის აქ არის."),
    ("hi", "डॉ. राम और पं. नेहरू आए।¦वे गए।"),
    ("bn", "ড. ইউনূস ও মো. আলী এলেন।¦ তারা গেলেন।"),
    ("ml", "ഡോ. രാമൻ വന്നു.¦ അവർ പോയി."),
    ("id", "Tn. Budi dan Ny. Ani di Jl. Merdeka No. 7, hlm. 3.¦ Ini selesai dll.¦ Ya."),
]


@pytest.mark.parametrize(("language", "text"), LANGUAGES)
def test_abbreviations_and_ordinals_of_languages(language, text):
    text = text.replace("XII. Han", "XII. Orkester")
    expected = [sentence.strip() for sentence in text.split("¦")]
    assert split_sentences(text.replace("¦", ""), language) == expected


def test_without_a_language_what_hurts_no_language_holds():
    text = "Am 3. Mai sah Prof. Kohl bzw. Frau Lang z. B. Hunde.¦ La sig.ra Rossi vide.¦ В г. Москве на ул. Мира.¦ Да."
    assert split_sentences(text.replace("¦", "")) == [sentence.strip() for sentence in text.split("¦")]
    assert len(split_sentences("Am 3. Tag kam er.")) == 2  # an ordinal in German only
    assert split_sentences("Der Sr. Garcia.", "xx") == split_sentences("Der Sr. Garcia.")


def test_codes_of_languages():
    assert split_sentences("Am 3. Tag.", "de-AT") == split_sentences("Am 3. Tag.", "DE") == ["Am 3. Tag."]
    assert len(split_sentences("Den 3. Divisjon kom.", "nb")) == 1
    for wrong in ("German", "d", 3, ["de"]):
        with pytest.raises(OptionError, match="expected a code of ISO 639, such as 'de' for German"):
            split_sentences("", wrong)


def test_nothing_but_white_space_is_lost():
    text = 'He said: "I will." And then? "Wait!" cried Dr. Who.'
    assert " ".join(split_sentences(text)) == text
    for one in SCRIPTS.values():
        found = [one[start:end] for start, end in sentence_spans(one, "de")]
        assert "".join("".join(found).split()) == "".join(one.split())


MARKED = re.compile(r"[.!?…。！？]['\"”’»)\]」』*_}]*$")


def written(shared_data, treebank):
    """Return the sentences of a part of a treebank as they are written."""
    from firth.readers.conllu import read_conllu

    folder = shared_data / "dependencies"
    if treebank != "gum":
        (path,) = folder.glob(f"UD_*/{treebank}-ud-dev.conllu.gz")
        comments = [comment for sentence in read_conllu(path) for comment in sentence.comments]
    else:
        with tarfile.open(folder / "gum-dep" / "gum_dep.tar.gz") as archive:
            files = {name.split("/")[-1]: name for name in archive.getnames()}
            parts = archive.extractfile(files["splits.md"]).read().decode()
            names = re.findall(r"GUM_\w+", re.search(r"#+ *dev\b[^#]*", parts)[0])
            texts = [archive.extractfile(files[f"{name}.conllu"]) for name in sorted(names) if "reddit" not in name]
            comments = [line for text in texts for line in text.read().decode().splitlines()]
    found = [re.sub(r"^#? ?text = ?", "", each) for each in comments if re.match(r"#? ?text =", each)]
    return [" ".join(text.split()) for text in found]


def boundaries_f1(sentences, space, language):
    """F1 of the ends of sentences inside paragraphs of ten."""
    found, gold, both = 0, 0, 0
    for first in range(0, len(sentences), 10):
        ends, text = set(), ""
        for sentence in sentences[first : first + 10]:
            text += sentence
            ends.add(len(text))
            text += space
        own = {end for _, end in sentence_spans(text, language)} - {max(ends)}
        ends -= {max(ends)}
        found, gold, both = found + len(own), gold + len(ends), both + len(own & ends)
    return 2 * both / (found + gold)


@pytest.mark.parametrize(
    ("treebank", "language", "least", "least_without", "least_marked"),
    [
        ("en_ewt", "en", 0.79, 0.79, 0.935),  # web pages: 25 % have no mark, many begin in lower case
        ("en_lines", "en", 0.94, 0.94, 0.95),  # in novels several sentences are one tree
        ("gum", "en", 0.95, 0.95, 0.98),
        ("de_gsd", "de", 0.98, 0.98, 0.99),
        ("fr_sequoia", "fr", 0.90, 0.90, 0.98),  # 15 % have no mark
        ("es_gsd", "es", 0.98, 0.98, 0.99),
        ("tr_imst", "tr", 0.97, 0.97, 0.97),
        ("vi_vtb", "vi", 0.98, 0.98, 0.98),
        ("zh_gsdsimp", "zh", 0.99, 0.99, 0.99),
    ],
)
def test_sentences_of_treebanks(shared_data, treebank, language, least, least_without, least_marked):
    """The ends of the sentences of development parts, which the rules were not made from."""
    sentences, space = written(shared_data, treebank), "" if language == "zh" else " "
    marked = [sentence for sentence in sentences if MARKED.search(sentence)]
    figures = [
        boundaries_f1(sentences, space, language),
        boundaries_f1(sentences, space, None),
        boundaries_f1(marked, space, language),
    ]
    print(treebank, len(sentences), len(marked), *(f"{each:.4f}" for each in figures))
    assert all(figure >= bound for figure, bound in zip(figures, (least, least_without, least_marked), strict=True))


UDHR = {  # translations in 32 scripts by the marks they have
    ".": "eng ell_monotonic rus kat heb ydd arb aii div guj tam mal kan lao ike chr vai kor tzm_tfng",
    "।": "hin ben pan",
    "。": "cmn_hans jpn iii",
    "།༎": "bod dzo",
    "։": "hye",
    "۔": "urd",
    "။": "mya",
    "។": "khm",
    "።": "amh",
    "᙮": "csw",
    "᠃": "khk_mong",
    "᜶": "tgl_tglg",
    "": "tha",
}


def test_articles_of_the_declaration_of_human_rights_are_split_by_their_marks(shared_data):
    with zipfile.ZipFile(shared_data / "language" / "udhr2" / "udhr2.zip") as archive:
        texts = {name: archive.read(f"udhr2/{name}.txt").decode() for name in " ".join(UDHR.values()).split()}
    for name, marks in ((name, marks) for marks, names in UDHR.items() for name in names.split()):
        ends = rf"[{marks}?!]+[\"”»)\]]*(?=\s+\S)" if marks == "." else rf"(?<!དང)(?<!དང.)(?:[{marks}?!]\s?)++፡?(?=\S)"
        for line in texts[name].splitlines():
            paragraph = line.strip().rstrip("፡")
            if len(paragraph) >= 40:  # no heading
                found = split_sentences(paragraph)
                assert len(found) == len(re.findall(ends, paragraph)) + 1, (name, found)


def test_the_property_is_that_of_unicode():
    assert len(SENTENCE_TERMINAL) == len(set(SENTENCE_TERMINAL)) == 172  # "Total code points" of PropList.txt
    known = [unicodedata.category(each) for each in SENTENCE_TERMINAL if unicodedata.category(each) != "Cn"]
    assert set(known) == {"Po"}


def test_each_mark_is_of_one_kind():
    assert not set(SPACED) & set(FREE)
    assert {*SENTENCE_TERMINAL} - {*COMMAS} <= {*SPACED, *FREE}
    assert all(re.fullmatch(f"[{ANY}]", each) for each in SPACED + FREE)
