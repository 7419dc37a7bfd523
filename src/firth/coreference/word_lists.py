"""Words that say what an English mention refers to: pronouns, titles, kinship, common given names.

The lists are short on purpose: models learn the rest from their words. Other languages have other lists;
`firth.coreference.mentions` works without them, with every value unknown.
"""

from typing import NamedTuple


class Pronoun(NamedTuple):
    """Properties of a pronoun's referent; "" where the pronoun leaves one open.

    Attributes:
        group: pronouns of one group may repeat one another: "he" and "his".
        person: 1, 2 or 3; 0 for none.
        number: "singular", "plural" or "".
        gender: "male", "female", "neuter" or "".
        animacy: "animate", "inanimate" or "".
    """

    group: str
    person: int = 0
    number: str = ""
    gender: str = ""
    animacy: str = ""


_GROUPS = {
    Pronoun("i", 1, "singular", "", "animate"): "i me my mine myself",
    Pronoun("you", 2, "", "", "animate"): "you your yours yourself yourselves thou thee thy thine thyself ye",
    Pronoun("he", 3, "singular", "male", "animate"): "he him his himself",
    Pronoun("she", 3, "singular", "female", "animate"): "she her hers herself",
    Pronoun("it", 3, "singular", "neuter", "inanimate"): "it its itself",
    Pronoun("we", 1, "plural", "", "animate"): "we us our ours ourselves",
    Pronoun("they", 3, "plural"): "they them their theirs themselves 'em",
    Pronoun("who", 0, "", "", "animate"): "who whom whose",
    Pronoun("other"): "which that this these those one ones another other others both all each some any none "
    "everyone everybody someone somebody anyone anybody nobody what such",
}
PRONOUNS = {word: pronoun for pronoun, words in _GROUPS.items() for word in words.split()}
GROUPS = tuple(pronoun.group for pronoun in _GROUPS)
PERSONAL = frozenset(GROUPS[:7])  # groups whose members repeat one another wherever they stand


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MALE = _words(
    """
    mr mr. sir lord master king prince duke earl count baron emperor monsieur m. herr don father papa dad daddy pa
    son brother uncle nephew husband grandfather grandson stepfather godfather bridegroom bachelor widower man men
    gentleman gentlemen boy boys lad lads fellow fellows chap guy male actor waiter monk friar priest abbot pope
    bishop squire baronet parson vicar curate butler footman coachman postman policeman clergyman nobleman
    schoolmaster landlord sons brothers uncles husbands fathers kings lords princes captain colonel major general
    lieutenant sergeant admiral soldier sailor brethren
    """
)
FEMALE = _words(
    """
    mrs mrs. miss ms ms. madam madame mademoiselle ma'am lady ladies dame queen princess duchess countess baroness
    empress frau fraulein signora mother mamma mama mum mummy ma daughter sister aunt auntie niece wife grandmother
    grandma granddaughter stepmother godmother bride widow spinster woman women girl girls lass maid maiden maids
    female actress waitress nun abbess goddess governess mistress hostess heiress housekeeper housemaid nurse
    landlady schoolmistress witch daughters sisters aunts wives mothers
    """
)
PEOPLE = _words(
    """
    person people child children baby babies infant friend friends enemy doctor dr dr. professor teacher student
    servant servants stranger neighbour neighbours neighbor neighbors guest guests visitor cousin cousins parents
    parent orphan lawyer judge clerk officer officers soldiers sailors captain poet artist author writer merchant
    farmer peasant peasants slave slaves thief murderer prisoner patient lover lovers companion companions villagers
    crowd gentry folk folks mob company party family couple crew indian indians englishman frenchman american
    creature darling dear youth creatures beggar hunter driver rider boarder president minister secretary governor
    gentlefolk widow boy boys girl girls everybody somebody nobody
    """
)
PLURAL = _words(
    """
    men women children people folk folks gentlemen brethren police mice geese feet teeth oxen cattle clergymen
    policemen englishmen frenchmen countrymen parents
    """
)
GROUP = _words(
    """
    family crowd company party crew mob police army government couple team band group class gang committee village
    town city nation country tribe regiment church court jury congregation audience
    """
)
MALE_NAMES = _words(
    """
    john william james george charles thomas henry robert edward joseph richard david peter paul frank samuel daniel
    arthur walter albert harry jack tom will jim joe bob ned dick sam ben fred frederick philip michael stephen
    martin simon andrew matthew mark luke alexander francis hugh ralph roger edmund edgar oliver patrick louis
    philippe jean pierre hans karl otto ivan sidney stanley ernest herbert leonard lawrence roderick theodore hector
    adam abraham isaac jacob moses aaron noah tim timothy nick nicholas jonathan anthony antonio juan carlos
    """
)
FEMALE_NAMES = _words(
    """
    mary anne anna ann elizabeth jane sarah margaret catherine katherine kate alice emily emma charlotte maria helen
    ellen martha ruth rose lucy grace julia clara florence edith dorothy louisa caroline isabella harriet sophia
    sophy amelia agnes nancy betty nelly bessie susan lydia kitty fanny eliza georgiana laura amy annie daisy lily
    mabel eleanor frances rebecca rachel hannah judith marianne elinor henrietta adele marie eva esther miriam
    beatrice diana victoria virginia barbara bertha gertrude hester polly molly peggy dolly jenny minnie milly sally
    """
)
SAYING = _words(
    """
    said say says saying cried cry cries replied reply asked ask asks answered answer answers returned exclaimed
    whispered shouted observed remarked continued added began murmured muttered inquired enquired demanded repeated
    called thought declared sighed suggested ejaculated rejoined retorted resumed interrupted screamed growled went
    told announced explained responded
    """
)
TIMES = _words(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """
)
ARTICLES = frozenset(("the", "a", "an"))
INDEFINITE = _words("a an some any another no every each several many few one two three four five")
DEMONSTRATIVE = frozenset(("this", "that", "these", "those"))
POSSESSIVE = _words("my your his her its our their thy")
# What ends the part of a noun phrase that can hold its head: prepositions, relative words, punctuation.
AFTER_HEAD = _words(
    """
    of in on at with from to for by about under over between among against near beyond behind within without into
    upon who whom whose which that where when , ; : ( -- — - and or as than
    """
)
SMALL_WORDS = _words(
    """
    the a an of in on at with from to for by and or 's ' ’s , . my your his her its our their this that these those
    old young little poor dear good great new other one two own same
    """
)
