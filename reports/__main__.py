"""Write the JSON Schemas: ``python -m halcert.reports docs/schemas``."""

import sys
from pathlib import Path

from halcert.reports.schemas import write_schemas

if __name__ == "__main__":
    write_schemas(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/schemas"))
