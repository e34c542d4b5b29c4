package csvfile_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/csvfile"
)

// packed returns a text as gzip has it.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// widened returns a text as UTF-16 with a mark of the byte order.
func widened(text string, order binary.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// A file holds the same rows however its text is written and packed.
func TestEncodings(t *testing.T) {
	chance := rand.New(rand.NewPCG(16, 8))
	var text strings.Builder
	text.WriteString("Key;Text\n")
	for range 3000 {
		for range chance.IntN(9) {
			text.WriteRune([]rune("aé€\U0001F3C3\U00010000")[chance.IntN(5)])
		}
		text.WriteString(";x\r\n")
	}
	want, err := rowsOf(strings.NewReader(text.String()), options)
	require.Truef(t, err == nil && len(want) == 3001, "%d rows, %v; want 3001", len(want), err)
	little, big := widened(text.String(), binary.LittleEndian), widened(text.String(), binary.BigEndian)
	for sentence, file := range map[string]string{
		"UTF-8 with a mark":                    "\uFEFF" + text.String(),
		"UTF-16, small end first":              little,
		"UTF-16, big end first":                big,
		"gzip":                                 packed(t, text.String()),
		"gzip of UTF-8 with a mark":            packed(t, "\uFEFF"+text.String()),
		"gzip of UTF-16":                       packed(t, big),
		"gzip in two parts, one after another": packed(t, text.String()[:500]) + packed(t, text.String()[500:]),
	} {
		for way, from := range map[string]io.Reader{"at once": strings.NewReader(file), "byte by byte": iotest.OneByteReader(strings.NewReader(file))} {
			if got, err := rowsOf(from, options); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s, %s: %d rows, %v; want the %d of the plain file", sentence, way, len(got), err, len(want))
			}
		}
	}
}

func TestEncodingFaults(t *testing.T) {
	sound := packed(t, strings.Repeat("a,b\n", 1000))
	bomb := packed(t, strings.Repeat("a,b\n", 1<<18+1))
	bounded := options
	bounded.Bytes = 1 << 20
	for _, tt := range []struct{ sentence, file, want string }{
		{"gzip that is cut off", sound[:len(sound)-9], "f.csv:1000: "},
		{"gzip that is damaged", sound[:len(sound)-6] + "XXXXXX", "f.csv:1000: "},
		{"no more than the mark of gzip", "\x1F\x8B", "f.csv:1: "},
		{"UTF-16 that is cut off", widened("a,b\n", binary.BigEndian) + "x", "f.csv:2: "},
		{"text that is larger unpacked than it may be", bomb, "f.csv:1: the file exceeds 1 MiB"},
		{"plain text that is", strings.Repeat("a,b\n", 1<<18) + "c", "f.csv:1: the file exceeds 1 MiB"},
		{"as much as there may be", strings.Repeat("a,b\n", 1<<18), ""},
	} {
		_, err := rowsOf(strings.NewReader(tt.file), bounded)
		if said := message(err); !strings.HasPrefix(said, tt.want) || (said == "") != (tt.want == "") {
			t.Errorf("%s: %s; want %s", tt.sentence, said, tt.want)
		}
	}
	small, large := io.LimitReader(zeros{}, 64<<20), io.LimitReader(zeros{}, 64<<20+1<<16)
	for _, text := range []io.Reader{small, large} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := io.Copy(w, text)
		require.NoError(t, errors.Join(err, w.Close()))
		_, err = io.Copy(io.Discard, csvfile.Text(&b))
		assert.Equalf(t, text == large, errors.As(err, new(*csvfile.Damage)), "a gzip of many times its size: %v", err)
	}
	// Half a surrogate pair is not a character: in a dirty file the row is skipped.
	lone := string(binary.BigEndian.AppendUint16([]byte(widened("a\n"+strings.Repeat("b\n", 200), binary.BigEndian)), 0xD800))
	r := csvfile.New(strings.NewReader(lone), csvfile.Options{Dirty: true})
	for r.Next() {
		continue
	}
	assert.NoError(t, r.Err())
	assert.Equal(t, int64(1), r.Skipped, "rows skipped")
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) { return len(into), nil }

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
