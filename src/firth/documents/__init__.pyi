from firth.documents.coreference_files import read_coreference as read_coreference
from firth.documents.coreference_files import write_coreference as write_coreference

__all__: list[str]
