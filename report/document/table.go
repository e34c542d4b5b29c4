package document

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Pointer is a JSON pointer (RFC 6901) into run.json, empty for none. As a value of a row it is the
// object whose members the columns after it name.
type Pointer string

// Below appends members and indices to p. It returns an empty pointer if p is empty.
func (p Pointer) Below(parts ...any) Pointer {
	if p == "" {
		return ""
	}
	return p + PointerTo(parts...)
}

// PointerTo returns the pointer with these members and indices. Bytes that are not valid UTF-8 are
// replaced, as JSON replaces them.
func PointerTo(parts ...any) (p Pointer) {
	for _, part := range parts {
		p += Pointer("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(string([]rune(fmt.Sprint(part)))))
	}
	return p
}

// Sourced is a value with a pointer of its own, which replaces that of the row and column. The number
// in run.json times Scale is the value; 0 means 1.
type Sourced struct {
	Value any
	At    Pointer
	Scale float64
}

// Formatted is a value with a [format] of its own, which replaces that of the column.
type Formatted struct {
	Value  any
	Format string
}

// Ratio is a part of a whole, shown as an en dash where the whole is not positive.
type Ratio struct{ Part, Whole float64 }

// RatioOf returns the ratio of two counts.
func RatioOf(part, whole int64) Ratio { return Ratio{float64(part), float64(whole)} }

// NewTable returns a table without rows. Columns are specifications, see [ParseColumn].
func NewTable(id, caption string, columns ...string) Table {
	t := Table{ID: id, Caption: caption}
	for _, specification := range columns {
		t.Columns = append(t.Columns, ParseColumn(specification))
	}
	return t
}

// TableOf returns a table of tagged structs: a column for each field with the tag col, those of embedded
// structs included. The tag is a specification for [ParseColumn]; if its title is empty, the title is the
// field's name in lower case. The json tag names the number in run.json. A field of type [Tone] or [Pointer] is a
// value of the row without a column.
func TableOf[T any](id, caption string, rows []T) Table {
	t := Table{ID: id, Caption: caption}
	var shown [][]int
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		tag, tagged := field.Tag.Lookup("col")
		if !tagged {
			continue
		}
		shown = append(shown, field.Index)
		if field.Type == reflect.TypeFor[Tone]() || field.Type == reflect.TypeFor[Pointer]() {
			continue
		}
		c := ParseColumn(tag)
		c.Title = cmp.Or(c.Title, strings.ToLower(field.Name))
		c.Member, _, _ = strings.Cut(field.Tag.Get("json"), ",")
		c.Words = c.Words || c.Format == "" && field.Type.Kind() == reflect.String
		t.Columns = append(t.Columns, c)
	}
	for i := range rows {
		var values []any
		for _, index := range shown {
			values = append(values, reflect.ValueOf(rows[i]).FieldByIndex(index).Interface())
		}
		t.Add(values...)
	}
	return t.WithoutEmpty()
}

// ParseColumn parses a specification: a title, then options after vertical bars. An option is one of
//   - the name of a [format] of numbers,
//   - words or named for text, text for text that is aligned like numbers,
//   - optional or nonzero, see [Column],
//   - unit=, group=, spare= or cut= with a value,
//   - at= with the path of the number in run.json below the row's [Pointer], by default the column's title.
//
// An unknown option is part of the title.
func ParseColumn(specification string) Column {
	var c Column
	for {
		at := strings.LastIndexByte(specification, '|')
		if at < 0 || !c.set(specification[at+1:]) {
			break
		}
		specification = specification[:at]
	}
	if c.Title = specification; c.Member == ownTitle {
		c.Member = strings.ReplaceAll(c.Title, " ", "_")
	}
	return c
}

// ownTitle is the path of a member with the column's title.
const ownTitle = "."

// set applies an option and reports whether it exists.
func (c *Column) set(option string) bool {
	name, value, _ := strings.Cut(option, "=")
	number, err := strconv.Atoi(value)
	switch name {
	case "unit":
		c.Unit = value
	case "group":
		c.Group = value
	case "at":
		c.Member = cmp.Or(value, ownTitle)
	case "optional":
		c.Optional = true
	case "nonzero":
		c.NonZero = true
	case "spare":
		c.Spare = number
	case "cut":
		c.Cut, c.Words = number, err == nil
	case words, named:
		c.Format, c.Words = name, true
	default:
		if name != plainText && formatOf(name).name != name {
			return false
		}
		c.Format = name
	}
	return err == nil || name != "spare" && name != "cut"
}

// Add adds a row of values, one for each column. A value is text, a number, a [Ratio], the bounds of an interval, a
// pointer to one of these, nil for none, a [Bar], a [Strip], [Sourced] or [Formatted]. A [Tone] applies to the next
// value, a [Pointer] to all later ones; a []any adds its elements.
func (t *Table) Add(values ...any) {
	row := make([]Cell, 0, len(t.Columns))
	tone, from := Plain, Pointer("")
	for len(values) > 0 {
		value := values[0]
		values = values[1:]
		switch v := value.(type) {
		case Tone:
			tone = v
		case Pointer:
			from = v
		case []any:
			values = slices.Concat(v, values)
		default:
			if len(row) < len(t.Columns) {
				cell := t.Columns[len(row)].cell(value, from)
				cell.Tone, tone = tone, Plain
				row = append(row, cell)
			}
		}
	}
	t.Rows = append(t.Rows, row)
}

// Sort sorts the rows by a key of each. It is stable.
func (t *Table) Sort(key func(row int) float64) {
	rows, order := slices.Clone(t.Rows), make([]int, len(t.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(key(x), key(y)) })
	for i, at := range order {
		t.Rows[i] = rows[at]
	}
}

// WithoutEmpty returns a table without optional columns that have no value in any row.
func (t Table) WithoutEmpty() Table {
	return t.dropColumns(func(i int) bool {
		return t.Columns[i].Optional && !slices.ContainsFunc(t.Rows, func(row []Cell) bool {
			return i < len(row) && (row[i].Text != "" && row[i].Text != Untold || row[i].Bar != nil)
		})
	})
}

// Without returns a table without the columns with these titles.
func (t Table) Without(titles ...string) Table {
	return t.dropColumns(func(i int) bool { return slices.Contains(titles, t.Columns[i].Title) })
}

func (t Table) dropColumns(drop func(column int) bool) Table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if !drop(i) {
			continue
		}
		t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
		rows := slices.Clone(t.Rows)
		for at, row := range rows {
			rows[at] = slices.Delete(slices.Clone(row), min(i, len(row)), min(i+1, len(row)))
		}
		t.Rows = rows
	}
	return t
}

// cell returns the cell of a value. From is the row's pointer.
func (c *Column) cell(value any, from Pointer) Cell {
	if formatted, is := value.(Formatted); is {
		own := *c
		own.Format = formatted.Format
		return own.cell(formatted.Value, from)
	}
	source, unit := Pointer(""), 1.
	if c.Member != "" && from != "" {
		source = from + "/" + Pointer(c.Member)
	}
	if sourced, is := value.(Sourced); is {
		value, source = sourced.Value, sourced.At
		unit = cmp.Or(sourced.Scale, 1)
	}
	text, scale := "", 1.
	switch v := value.(type) {
	case *Bar:
		return Cell{Bar: v}
	case Strip:
		return Cell{Text: v.Text, Strip: v.Shades}
	case *[2]float64:
		return Cell{Text: Interval(v, formatOf(c.Format).write)}
	case Ratio:
		text, scale = c.ratio(v)
	default:
		text, scale = c.text(reflect.ValueOf(value))
	}
	if scale *= unit; scale == 1 {
		scale = 0
	}
	if text == Untold || text == manyTries || source == "" || math.IsInf(scale, 0) || math.IsNaN(scale) {
		return Cell{Text: text}
	}
	return Cell{Text: text, Source: string(source), Scale: scale}
}

// ratio returns the text of a ratio and the scale from the part to the number in the text.
func (c *Column) ratio(r Ratio) (text string, scale float64) {
	if r.Whole <= 0 {
		return Untold, 1
	}
	text, scale = formatOf(c.Format).text(r.Part / r.Whole)
	return text, scale / r.Whole
}

// text returns the text of a value and the scale of the number in it.
func (c *Column) text(value reflect.Value) (text string, scale float64) {
	for value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	switch {
	case !value.IsValid(), c.NonZero && value.IsZero():
		return Untold, 1
	case value.Kind() != reflect.String && !c.Words:
		return c.number(value)
	case value.Kind() == reflect.String:
		text = value.String()
	default:
		text = fmt.Sprint(value)
	}
	if c.Format == named {
		text = cmp.Or(text, Untold)
	}
	return text, 1
}

// number returns the text of a number and the scale of the number in it.
func (c *Column) number(value reflect.Value) (text string, scale float64) {
	f := formatOf(c.Format)
	switch {
	case value.CanInt() && (c.Format == "" || c.Format == "count"):
		return Count(value.Int()), 1
	case value.Type() == reflect.TypeFor[time.Duration]() && f.unit > 0:
		return f.text(float64(value.Int()) / float64(f.unit))
	case value.CanInt():
		return f.text(float64(value.Int()))
	case value.CanFloat():
		return f.text(value.Float())
	}
	return fmt.Sprint(value), 1
}
