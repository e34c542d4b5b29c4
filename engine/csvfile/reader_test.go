package csvfile_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/csvfile"
)

// errWrong is the kind of the faults of these tests.
var errWrong = errors.New("wrong")

// options are those of a file with the columns Key and Text.
var options = csvfile.Options{File: "f.csv", Holds: "the rows of", Row: 1 << 10, Fields: 100, Kind: errWrong,
	Known: func(name string) bool { return name == "Key" || name == "Text" }}

// rowsOf returns all rows of a text, and what was wrong with it.
func rowsOf(from io.Reader, o csvfile.Options) (rows [][]string, err error) {
	r := csvfile.New(from, o)
	for r.Next() {
		rows = append(rows, slices.Clone(r.Fields()))
	}
	return rows, r.Err()
}

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [][]string
	}{
		{"nothing at all", "", nil},
		{"empty lines are no rows", "\n\r\na\n\nb\n\n", [][]string{{"a"}, {"b"}}},
		{"an empty field in marks is a row", "a\n\"\"\n", [][]string{{"a"}, {""}}},
		{"the last line has no end", "a,b\nc,d", [][]string{{"a", "b"}, {"c", "d"}}},
		{"lines end as in Windows, after a mark of the byte order", "\uFEFFa\r\nb\r", [][]string{{"a"}, {"b"}}},
		{"marks, separators and lines within marks", "\"a\"\"b\",\"c,d\"\n\"e\nf\",\"\"\"\"\n", [][]string{{`a"b`, "c,d"}, {"e\nf", `"`}}},
		{"the ends of lines within marks stay as they are", "\"a\r\nb\",\"\r\",\"\n\r\n\"\r\n", [][]string{{"a\r\nb", "\r", "\n\r\n"}}},
		{"marks at the beginning of a field", "\"\"\"a\",\"\"\"\"\"\"\n", [][]string{{`"a`, `""`}}},
		{"a backslash before a mark that ends a field", "\"a\\\",\"b\"\n", [][]string{{`a\`, "b"}}},
		{"text that is no UTF-8 is the caller's to judge", "a\xff,\"\xff\"\n", [][]string{{"a\xff", "\xff"}}},
		{"semicolons, for the header names columns so", "Key;Text\na,b;c\n", [][]string{{"Key", "Text"}, {"a,b", "c"}}},
		{"tabs", "Key\tText\na,b\tc;d\n", [][]string{{"Key", "Text"}, {"a,b", "c;d"}}},
		{"names in marks", "\"Key\";\"Text\"\n\"a;b\";c\n", [][]string{{"Key", "Text"}, {"a;b", "c"}}},
		{"a file that names no column has commas", "a;b\nc;d\n", [][]string{{"a;b"}, {"c;d"}}},
		{"one column that is known has commas", "Key\na;b\n", [][]string{{"Key"}, {"a;b"}}},
		{"as many names by commas as by semicolons are by commas", "Key,x;Text\na,b\n", [][]string{{"Key", "x;Text"}, {"a", "b"}}},
		{"marks behind backslashes", "Key,Text\n1,\"say \\\"hi\\\"\"\n2,\"\\\"\"\n3,\"\\\\\"\n4,\"\"\n5,\"C:\\new\"\n",
			[][]string{{"Key", "Text"}, {"1", `say "hi"`}, {"2", `"`}, {"3", `\`}, {"4", ""}, {"5", `C:\new`}}},
		{"marks behind backslashes that the beginning gives away", "Key,Text\n1,\"5\\\"\"\n2,\"a \\\"b\\\"\"\n3,\"c:\\\\\"\n",
			[][]string{{"Key", "Text"}, {"1", `5"`}, {"2", `a "b"`}, {"3", `c:\`}}},
		{"backslashes that can be themselves are", "Key,Text\n1,\"C:\\\\new\"\n2,\"\\\"\"\"\n", [][]string{{"Key", "Text"}, {"1", `C:\\new`}, {"2", `\"`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for way, from := range map[string]io.Reader{"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text))} {
				if got, err := rowsOf(from, options); err != nil || !slices.EqualFunc(got, tt.want, slices.Equal) {
					t.Errorf("%s: rows of %q = %q, %v; want %q", way, tt.text, got, err, tt.want)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name, text string
		// want are the lines of the faults, and a word of each: the field at fault, or a bound.
		want string
	}{
		{"a mark within a field", "a,b\nc,d\"e\n", "2 field 2"},
		{"text behind a mark", "a,b\n\"c\"d,e\n", "2 comma"},
		{"the same where semicolons are", "Key;Text\n\"c\"d;e\n", "2 semicolon"},
		{"the same where tabs are", "Key\tText\n\"c\",d\te\n", "2 tab"},
		{"a mark that is unclosed", "a\n\"b\nc\nd\n", "2 unclosed"},
		{"a row too long", "a\n" + long + "\nb\n", "2 1 KiB"},
		{"a last row too long", "a\n" + long, "2 1 KiB"},
		{"a row too long over many lines", "a\n\"" + strings.Repeat("\r\n", 1000) + "\"\n", "2 1 KiB"},
		{"a row of too many fields", "a\n" + strings.Repeat(",", 100) + "\n", "2 100 fields"},
		{"a carriage return alone", "a\nb\rc\n", "2 carriage return"},
		{"a row of another length, behind one of several lines", "a,b\n\"c\nd\",e\n\nf\n", "5 1 columns"},
		{"several faults", "a,b\nc\n\"d\"e,\nf,\"\n", "2 1 columns; 3 field 1; 4 field 2"},
		{"a first row that cannot be read leaves no sense in others", "a\"b\nc\"d\n", "1 field 1"},
		{"one bad row does not keep another's \\\" from being read", "Key,Text\n1,\"a\\\"b\"\n2,c\"d\n", "3 field 2"},
	} {
		_, err := rowsOf(strings.NewReader(tt.text), options)
		lines, wants := strings.Split(message(err), "\n"), strings.Split(tt.want, "; ")
		sound := len(lines) == len(wants) && errors.Is(err, errWrong)
		for i := 0; sound && i < len(lines); i++ {
			line, word, _ := strings.Cut(wants[i], " ")
			sound = strings.HasPrefix(lines[i], "f.csv:"+line+": ") && strings.Contains(lines[i], word)
		}
		assert.Truef(t, sound, "%s: rows of %.60q:\n%v\nwant faults of %s", tt.name, tt.text, err, tt.want)
	}
	_, err := rowsOf(strings.NewReader("a\n"+strings.Repeat("b,c\n", 1000)), options)
	assert.Equal(t, 20, strings.Count(err.Error(), "\n")+1, "a thousand faults are told as")
	broken := errors.New("broken disk")
	for _, size := range []int{0, 1, 100_000} {
		text := strings.Repeat("a\n", size)
		rows, err := rowsOf(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), options)
		assert.Truef(t, len(rows) == size && errors.Is(err, broken) && strings.Contains(err.Error(), "f.csv"),
			"%d rows of a broken disk = %d, %v; want all and its error", size, len(rows), err)
	}
}

func TestAbsentIsNotEmpty(t *testing.T) {
	r := csvfile.New(strings.NewReader("a,,\"\",b,\n,\"\",,\"\"\"\",\"\"\n"), csvfile.Options{})
	for _, want := range [][]bool{{false, true, false, false, true}, {true, false, true, false, false}} {
		var got []bool
		r.Next()
		for i := range r.Fields() {
			got = append(got, r.Absent(i))
		}
		assert.Equalf(t, want, got, "the absent fields of %q", r.Fields())
	}
}

// written is a dialect as another program writes it.
type written struct{ separator, mark, backslash string }

// line writes fields in marks where they need them, and some where they do not.
func (w written) line(rng *rand.Rand, fields []string, end string) string {
	var cells []string
	for _, field := range fields {
		if rng.IntN(3) == 0 || field == "" || strings.ContainsAny(field, "\"\r\n"+w.separator) {
			field = `"` + strings.NewReplacer(`"`, w.mark, `\`, w.backslash).Replace(field) + `"`
		}
		cells = append(cells, field)
	}
	return strings.Join(cells, w.separator) + end
}

// TestDialectsAreTold writes files of random fields in each dialect, with one text in
// the first row that only the dialect can hold so, and reads them as they were. That row can be far
// behind what a dialect is told from.
func TestDialectsAreTold(t *testing.T) {
	pieces := []string{"a", "b", `"`, `\`, `\"`, ",", ";", "\t", "\n", "\r\n", "\r", "ż", "😀", " ", "1", "\x00"}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		for _, w := range []written{{",", `""`, `\`}, {";", `""`, `\`}, {"\t", `""`, `\`}, {",", `\"`, `\\`}, {";", `\"`, `\\`}, {"\t", `\"`, `\\`}} {
			end := []string{"\n", "\r\n"}[rng.IntN(2)]
			want := [][]string{{"Text", "more", "Key"}}
			if n%25 == 0 {
				want = append(want, slices.Repeat([][]string{{strings.Repeat("x", 20), "c:/d", "k"}}, 3000+rng.IntN(3000))...)
			}
			want = append(want, []string{`the "first" one`, "", "x"})
			for range rng.IntN(8) {
				row := make([]string, 3)
				for i := range row {
					for range rng.IntN(5) {
						row[i] += pieces[rng.IntN(len(pieces))]
					}
				}
				want = append(want, row)
			}
			var text strings.Builder
			for _, row := range want {
				text.WriteString(w.line(rng, row, end))
			}
			if got, err := rowsOf(strings.NewReader(text.String()), options); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%q, file %d: %d rows, %v; want the %d that were written, the last %q", w, n, len(got), err, len(want), want[len(want)-1])
			}
		}
	}
}

// What RFC 4180 can read stays as it is read by it, and what neither can read is told.
func TestLateBackslashes(t *testing.T) {
	far := "Key,Text\n" + strings.Repeat("k,plain text\n", 6000)
	for _, row := range []struct{ says, text, want, fault string }{
		{"a backslash that ends a field", "k,\"c:\\d\\\"\n", `c:\d\`, ""},
		{"a backslash before a doubled mark", "k,\"c:\\\"\" d\"\n", `c:\" d`, ""},
		{"two backslashes", "k,\"c:\\\\d\"\n", `c:\\d`, ""},
		{"the last mark of the file", "k,\"c:\\\"", `c:\`, ""},
		{"a mark of the text", "k,\"5\\\" wide\"\n", `5" wide`, ""},
		{"both senses in one file", "k,\"c:\\\"\nk,\"5\\\" wide\"\n", "", "f.csv:6003: field 2: "},
	} {
		got, err := rowsOf(strings.NewReader(far+row.text), options)
		switch {
		case row.fault != "":
			assert.Containsf(t, message(err), row.fault, "%s: %v", row.says, err)
		case err != nil || got[len(got)-1][1] != row.want:
			t.Errorf("%s: %q, %v; want %q", row.says, got[len(got)-1], err, row.want)
		}
	}
}

// A beginning that ends behind a line feed within quotation marks is cut off, not broken:
// that the other dialect has a row end there says nothing.
func TestTheBeginningMayEndWithinMarks(t *testing.T) {
	const before, after = "Key,Text\nk,\"", "\\\"\n,\"\n"
	long := strings.Repeat("x", 64<<10-len(before+after))
	want := [][]string{{"Key", "Text"}, {"k", long + `\`}, {"", "\ny"}}
	got, err := rowsOf(strings.NewReader(before+long+after+"y\"\n"), csvfile.Options{File: "f.csv", Row: 1 << 17})
	assert.Truef(t, err == nil && slices.EqualFunc(got, want, slices.Equal),
		"%d rows, %v; want three, the second with a backslash at its end", len(got), err)
}

func TestMemoryIsConstant(t *testing.T) {
	var before, after runtime.MemStats
	for _, row := range []string{"a,b\n", "\"" + strings.Repeat("x\n", 300) + "\",b\n"} {
		rows, most := 0, uint64(0)
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := csvfile.New(strings.NewReader(strings.Repeat(row, 4<<20/len(row))), options)
		for ; r.Next(); rows++ {
			if rows%(1<<17) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapAlloc)
			}
		}
		if r.Err() != nil || most > before.HeapAlloc+5<<20 {
			t.Errorf("%d rows of %.10q take %d bytes, %v; want less than one beside the text", rows, row, most-before.HeapAlloc, r.Err())
		}
	}
}

// FuzzRows holds what is read of commas against the library alone, and has whatever
// is read read the same when it is written again.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{"a\nb\n", "a,b\r\n\"c\"\"d\",\"e\nf\"\n", "\"a", "a\"b\n", "\"a\"b\n", "\n\n,\n", "\"\"\n", "\"\r\n\"\r", "x,\"y\"\n1,2,3\n",
		"\uFEFFa\n", "Key;Text\n\"a;\\\"b\";c\n", "Key\tText\n\"\\\\\"\t\"\\\"x\"\n", "\"\"\"\",\"\",\n", "a\rb\n", "\xFF\xFE", "\xFE\xFF\x00", "\x1F\x8B\x08", "sep=;\nKey;Text\n1;2\n", "# a\n#Key|Text\n\x80|b\n#\n", "Key\r27/11/2026\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// Of files that are packed, or in UTF-16, the library knows nothing.
		if slices.ContainsFunc([]string{"\x1F\x8B", "\xFF\xFE", "\xFE\xFF"}, func(mark string) bool { return strings.HasPrefix(text, mark) }) {
			if _, err := rowsOf(strings.NewReader(text), options); err != nil && !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("rows of %q: %v; want faults of the file", text, err)
			}
			return
		}
		plain := csvfile.Options{Row: 1 << 20}
		got, err := rowsOf(strings.NewReader(text), plain)
		library := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
		want, wrong := library.ReadAll()
		if wrong == nil && err == nil {
			for _, row := range got {
				for i := range row {
					row[i] = strings.ReplaceAll(row[i], "\r\n", "\n")
				}
			}
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("rows of %q = %q; the library has %q", text, got, want)
			}
		}
		if alone := strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r"); (wrong == nil) != (err == nil) && !alone && !strings.Contains(text, `\`) {
			t.Fatalf("rows of %q: %v; the library says %v", text, err, wrong)
		}
		dirty := options
		dirty.Dirty = true
		r := csvfile.New(strings.NewReader(text), dirty)
		for more := r.Next() && r.FindTimes("", []int{0}); more && r.Next(); {
			r.TimeOf(0)
		}
		if err := r.Err(); r.Skipped > r.Rows || err != nil && !strings.HasPrefix(err.Error(), "f.csv:") {
			t.Fatalf("dirty rows of %q: %d of %d skipped, %v; want faults of the file", text, r.Skipped, r.Rows, err)
		}
		got, err = rowsOf(strings.NewReader(text), options)
		if err != nil {
			if !errors.Is(err, errWrong) || !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("rows of %q: %v; want faults of the file", text, err)
			}
			return
		}
		var again strings.Builder
		for _, row := range got {
			for i, field := range row {
				fmt.Fprintf(&again, "%s\"%s\"", []string{"", ","}[min(i, 1)], strings.ReplaceAll(field, `"`, `""`))
			}
			again.WriteByte('\n')
		}
		if twice, err := rowsOf(strings.NewReader(again.String()), csvfile.Options{}); err != nil || !slices.EqualFunc(twice, got, slices.Equal) {
			t.Fatalf("rows of %q = %q, and written again %q, %v", text, got, twice, err)
		}
	})
}
