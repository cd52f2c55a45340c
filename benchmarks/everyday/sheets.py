# ruff: noqa: E501
"""Workbooks and slides as offices write them."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
import pptx
import xlsxwriter
from openpyxl.worksheet.datavalidation import DataValidation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from benchmarks.everyday.case import EverydayFile


def _saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _budget() -> bytes:
    """A title over a table with two rows of merged heads, sums, and a second table beside a remark."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet["A1"] = "Budget of the open-air pool 2025"
    sheet.merge_cells("A1:F1")
    for place, text in (("A3", "post"), ("B3", "2024"), ("D3", "2025"), ("B4", "plan"), ("C4", "actual"), ("D4", "plan"), ("E4", "change")):  # fmt: skip
        sheet[place] = text
    for area in ("A3:A4", "B3:C3", "D3:E3"):
        sheet.merge_cells(area)
    for post in (("chlorine", 4100, 4312.75, 4500, 0.0434), ("guards", 61000, 60250, 63500, -0.015)):
        sheet.append(post)
    for row in (5, 6):
        for column in "BCD":
            sheet[f"{column}{row}"].number_format = "#,##0.00"
        sheet[f"E{row}"].number_format = "0.0%"
    sheet["A9"], sheet["A10"], sheet["B10"], sheet["A11"], sheet["B11"] = "Prices at the till", "child", 3.5, "adult", 6  # fmt: skip
    sheet["B10"].number_format = sheet["B11"].number_format = '#,##0.00 "€"'
    sheet["A13"] = "Approved by the council; the slide stays shut until it has been inspected."
    return _saved(book)


def _formats() -> bytes:
    """Cells in formats: dates, durations, fractions, exponents, texts, own formats."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Log")
    sheet.write_row(0, 0, ("what", "value"))
    rows: tuple[tuple[str, object, str], ...] = (
        ("inspected", datetime(2025, 3, 4), "yyyy-mm-dd"), ("opened", datetime(2025, 3, 4, 17, 45), "dd/mm/yyyy hh:mm"), ("ran for", 1.5, "[h]:mm"),
        ("share", 0.075, "0.0%"), ("weight", 12.5, '0.0 "kg"'), ("loss", -1234.5, "#,##0.00;(#,##0.00)"), ("part", 42, "00000"), ("dollars", 1999.9, "$#,##0.00"), ("tiny", 0.00002, "0.00E+00"),
    )  # fmt: skip
    for number, (label, value, form) in enumerate(rows, 1):
        sheet.write(number, 0, label)
        sheet.write(number, 1, value, book.add_format({"num_format": form}))
    sheet.write_string(10, 0, "phone")
    sheet.write_string(10, 1, "0047 900 11 222")
    sheet.write_rich_string(11, 0, "note ", book.add_format({"bold": True}), "in bold", " letters")
    sheet.write_url(12, 0, "https://x.example/manual", string="Manual of the pump")
    sheet.write_formula(13, 1, "=SUM(B6,B8)", None, 54.5)
    sheet.write(13, 0, "sum")
    sheet.insert_textbox(15, 0, "In a box: calibrate each January.")
    sheet.write_comment("A2", "Inspector: J. Dahl")
    chart = book.add_chart({"type": "line"})
    chart.set_title({"name": "Pressure in bar"})
    chart.add_series({"values": "=Log!$B$6:$B$8"})
    sheet.insert_chart("D2", chart)
    book.close()
    return out.getvalue()


def _register() -> bytes:
    """A register with hidden rows, columns, filters, validation, blank columns, and names that are numbers."""
    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Register"
    sheet.append(("No.", "Name", None, "Since", "Fee"))
    sheet.append((1, "Åse Berg", None, date(1998, 11, 30), 120))
    sheet.append((2, "Omar Haddad", None, date(2021, 1, 2), 80.5))
    sheet.append((3, "Wei Zhang", None, None, "exempt"))
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["E"].hidden = True
    sheet.auto_filter.ref = "A1:E4"
    sheet.freeze_panes = "A2"
    choice = DataValidation(type="list", formula1='"VALIDLIST1,VALIDLIST2"')
    sheet.add_data_validation(choice)
    choice.add("B5")
    times = book.create_sheet("Times")
    times.append(("lane", "best"))
    times.append(("1", timedelta(minutes=1, seconds=58)))
    times.append(("2", time(0, 2, 5)))
    times["A5"] = "Lane 2 is measured\nby hand since the\ncable broke."
    book.create_sheet("Empty")
    sums = book.create_sheet("Sums")
    sums.append(("a", "b", "sum"))
    sums.append((2, 3, "=A2+B2"))
    return _saved(book)


def sheets() -> list[EverydayFile]:
    """Return workbooks."""
    return [
        EverydayFile("excel/pool.xlsx", _budget(), ("Budget of the open-air pool 2025", "chlorine .. 4100 .. 4312.75 .. 4500 .. 4.34%", "guards .. 61000 .. 60250 .. 63500 .. -1.5%", "child .. 3.50 €", "Approved by the council; the slide stays shut until it has been inspected."), ("0.0434", "41004", "2024plan"), tables=("chlorine .. 4100", "adult .. 6.00 €"), order=("Budget of the open-air pool", "chlorine", "Prices at the till", "Approved by the council")),
        EverydayFile("excel/log.xlsx", _formats(), ("inspected .. 2025-03-04", "opened .. 2025-03-04 17:45", "share .. 7.5%", "0047 900 11 222", "note in bold letters", "Manual of the pump", "sum .. 54.5", "part .. 00042"), ("45720", "=SUM", "0.075"), or_warned=("In a box: calibrate each January.", "Inspector: J. Dahl", "12.5 kg", "Pressure in bar"), tables=("part .. 00042",)),
        EverydayFile("excel/register.xlsx", _register(), ("Åse Berg .. 1998-11-30 .. 120", "Omar Haddad .. 2021-01-02 .. 80.5", "Wei Zhang .. exempt", "Lane 2 is measured by hand since the cable broke.", "a .. b .. sum"), ("VALIDLIST", "1858", "1899", "=A2"), warns=("formula",), tables=("Omar Haddad",)),
    ]  # fmt: skip


def _course() -> bytes:
    """Slides with two columns, groups in groups, a chart, a table with merged cells, notes, numbers and footers."""
    deck: Any = pptx.Presentation()
    cover = deck.slides.add_slide(deck.slide_layouts[0])
    cover.shapes.title.text = "First aid on skis"
    cover.placeholders[1].text = "Course of the mountain guard, winter 2025"
    two = deck.slides.add_slide(deck.slide_layouts[4])
    two.shapes.title.text = "Cold and heat"
    for place, text in ((1, "Frostbite"), (2, "Warm slowly in water of 38 degrees"), (3, "Sunburn"), (4, "Cool with wet cloths")):  # fmt: skip
        two.placeholders[place].text = text
    chart_slide = deck.slides.add_slide(deck.slide_layouts[5])
    chart_slide.shapes.title.text = "Accidents by slope"
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["blue", "red"]
    data.add_series("2023", (41, 17.5))
    data.add_series("2024", (39, 1204))
    chart = chart_slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(2), Inches(5), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Injuries per thousand"
    points: Any = XyChartData()  # type: ignore[no-untyped-call]
    series = points.add_series("drift")
    series.add_data_point(1.5, 7.25)
    chart_slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Inches(6), Inches(2), Inches(3), Inches(3), points)
    chart_slide.notes_slide.notes_text_frame.text = "The figures are from the hut book.\nAsk for questions."
    table_slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = table_slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(7), Inches(2)).table
    for row, cells in enumerate((("kit", "pieces", "pieces"), ("splint", "2", "wood"), ("bandage", "14", "gauze"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    group = table_slide.shapes.add_group_shape()
    for at, text in enumerate(("Look", "Listen", "Feel")):
        group.shapes.add_textbox(Inches(1 + at), Inches(5), Inches(1), Inches(1)).text_frame.text = text
    picture = table_slide.shapes.add_textbox(Inches(1), Inches(6.5), Inches(3), Inches(0.5))
    picture.text_frame.text = "Source: mountain guard"
    return _saved(deck)


def slides() -> list[EverydayFile]:
    """Return slides."""
    return [
        EverydayFile("slides/course.pptx", _course(), ("Course of the mountain guard, winter 2025", "Warm slowly in water of 38 degrees", "Cool with wet cloths", "red .. 17.5", "The figures are from the hut book.", "splint .. 2 .. wood", "bandage .. 14 .. gauze", "Injuries per thousand", "Listen", "1.5 .. 7.25"), ("LookListen", "2wood", "4139"), headings=("First aid on skis", "Cold and heat", "Accidents by slope"), tables=("splint .. 2 .. wood",), order=("Frostbite", "Warm slowly", "Sunburn", "Cool with wet")),
    ]  # fmt: skip
