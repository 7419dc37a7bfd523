// Tables in CSV, none of whose cells a spreadsheet takes for a formula: words come from texts of others.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const FORMULA = /^(\s*[=+\-@＝＋－＠]|[\t\r\n])/; // OWASP, "CSV injection"
const SEPARATED = /[",;\t\r\n]/; // by some spreadsheet

// A cell: numbers as they are; what begins like a formula begins with an apostrophe, which says that it is text.
export function cell(value) {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return SEPARATED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function table(rows) {
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
