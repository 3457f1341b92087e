"""The notebook runs, with a class of one of its cells."""

from pathlib import Path

import nbclient
import nbformat
import pytest


@pytest.mark.filterwarnings("default")
def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    notebook = nbformat.read(Path(__file__).parents[1] / "own-matcher.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}, kernel_name="python3")
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    page = cells[1].outputs[-1].data["text/html"]
    assert "<h3>" in page
    assert "recallLower" in page
    assert any("image/png" in output.get("data", {}) for output in cells[2].outputs)
    assert "rightPlace" in cells[3].outputs[-1].data["text/html"]
