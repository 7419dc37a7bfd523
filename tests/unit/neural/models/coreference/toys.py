"""Small documents with chains: who sings is named, and then a pronoun of that gender."""

from firth.documents.document import Document
from firth.readers.conllu import DependencySentence

NAMES = (("Mary", "she"), ("John", "he"), ("Ann", "she"), ("Paul", "he"))


def documents(count=8):
    """Documents of two sentences each with a name and a pronoun, in chains by gender."""
    found = []
    for number in range(count):
        (one, her), (other, him) = NAMES[number % 4], NAMES[(number + 1) % 4]
        words = [f"{one} saw {other} .".split(), f"Then {her} sang and {him} left .".split()]
        sentences = tuple(DependencySentence.of(each) for each in words)
        clusters = [[(0, 1), (5, 6)], [(2, 3), (8, 9)]]
        found.append(Document(sentences, f"toy {number}", clusters=clusters))
    return found
