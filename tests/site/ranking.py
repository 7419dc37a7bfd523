"""The search of the site as the theme does it: the BM25 of lunr without lengths, over words that begin alike.

Every word of a query stands for all words of the index that begin with it. A section's score is multiplied by up to
five for the share of the query's words that it has, and for being a page's beginning. Sections are shown by page, the
best first. lunr's stop words are not left out of the index here: no query has them.
"""

import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

K1 = 1.2
SITE = Path(__file__).resolve().parents[2] / "docs" / "site"


class Search:
    """An index of the site.

    Args:
        path: `search/search_index.json` of a built site.
    """

    def __init__(self, path: Path) -> None:
        content = json.loads(path.read_text(encoding="utf-8"))
        self.docs, config = content["docs"], content["config"]
        self.separator = re.compile(config["separator"])
        self.weights: dict[str, dict[tuple[int, str], float]] = defaultdict(dict)  # by word: of a section and a field
        counts: dict[str, dict[tuple[int, str], int]] = defaultdict(dict)
        for i, doc in enumerate(self.docs):
            for field in config["fields"]:
                value = doc.get(field, "")
                text = " ".join(value) if isinstance(value, list) else re.sub(r"<[^>]*>", " ", value)
                for word, n in Counter(self.words(text)).items():
                    counts[word][i, field] = n
        for word, places in counts.items():
            x = (len(self.docs) - len(places) + 0.5) / (len(places) + 0.5)
            idf = math.log(1 + abs(x))
            for (i, field), n in places.items():
                boost = config["fields"][field]["boost"] * self.docs[i].get("boost", 1)
                self.weights[word][i, field] = idf * (K1 + 1) * n / (K1 + n) * boost
        script = (SITE / "search.js").read_text(encoding="utf-8")
        self.common = set("".join(re.findall(r'"([a-z ]+)"', script.split(".split")[0])).split())

    def words(self, text: str) -> list[str]:
        return [word for word in self.separator.split(text.lower()) if word]

    def terms(self, query: str) -> list[str]:
        """What is looked for: `docs/site/search.js`, then the theme."""
        content = [word for word in re.split(r"[\s?]+", query) if word and word.lower() not in self.common]
        content = [word[:-1] if re.fullmatch(r"\w{4,}s", word) else word for word in content]
        return self.words(" ".join(content or query.split()))

    def pages(self, query: str) -> list[str]:
        """The pages that answer a query, best first."""
        terms = list(dict.fromkeys(self.terms(query)))
        expanded = [(term, word) for term in terms for word in self.weights if word.startswith(term)]
        times = Counter(word for _, word in expanded)
        length = math.sqrt(sum(n * n for n in times.values())) or 1.0
        scores: dict[int, float] = defaultdict(float)
        found: dict[int, set[str]] = defaultdict(set)
        for term, word in expanded:
            for (i, _), weight in self.weights[word].items():
                scores[i] += weight / length
                found[i].add(term)
        for i in scores:
            beginning = "#" not in self.docs[i]["location"]
            scores[i] *= 1 + (beginning + len(found[i]) / len(terms)) ** 2
        order = sorted(scores, key=lambda i: -scores[i])
        return list(dict.fromkeys(self.docs[i]["location"].partition("#")[0] for i in order))
