package html_test

import (
	"io"
	"testing"

	"loadgen/report/html"
)

// BenchmarkHour renders the report of an hour: 3,600 seconds, 22 lines, 1,000 rows.
func BenchmarkHour(b *testing.B) {
	d := hour()
	o := html.Options{Pictures: drawn()}
	b.ReportAllocs()
	for b.Loop() {
		if err := html.Render(io.Discard, d, o); err != nil {
			b.Fatal(err)
		}
	}
}
