package campaign

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// A trace over the rows inserts row after row behind those that were loaded, each at its
// time, whatever design forms the keys: contests hold designs against each other over the
// same events.
func TestTraceOverRowsUnderEachDesign(t *testing.T) {
	chance := rand.New(rand.NewPCG(17, 23))
	for range 3 {
		loaded, rows := 1+chance.IntN(200), 300+chance.IntN(300)
		var file strings.Builder
		file.WriteString("finished,bib,division,year\n")
		var at []time.Duration
		var all [][3]string
		for i := range rows {
			now := time.Duration(chance.IntN(90)) * time.Millisecond
			if i > 0 {
				now += at[i-1]
			}
			at = append(at, now)
			year := chance.IntN(4)
			all = append(all, [3]string{fmt.Sprint(2000 + year), fmt.Sprintf("M%d", 10*year+chance.IntN(3)), fmt.Sprint(i)})
			fmt.Fprintf(&file, "%s,%s,%s,%s\n", now, all[i][2], all[i][1], all[i][0])
		}
		for design, keyOf := range map[string]func(row [3]string) [2]string{
			"year":     func(r [3]string) [2]string { return [2]string{r[0], r[1] + "__" + r[2]} },
			"division": func(r [3]string) [2]string { return [2]string{r[0] + "__" + r[1], r[2]} },
		} {
			s, err := scenarios.Parse("rows.yaml", fmt.Appendf(nil, `name: rows
seed: %d
rows: {file: r.csv, columns: [year, division, bib]}
use: %s
designs:
  - {name: year, partition_key: "{year}", row_key: "{division}__{bib}"}
  - {name: division, partition_key: "{year}__{division}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: %d}}
  - name: race
    traffic: {arrivals: {trace: r.csv, time: finished}, operations: [{verb: insert}]}
`, chance.IntN(1000), design, loaded))
			require.NoError(t, err)
			if err := s.ReadFiles(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file.String())), nil }); err != nil {
				t.Fatal(err)
			}
			c, err := NewCampaign(Options{Scenario: s, Table: "rows"})
			require.NoError(t, err)
			p, err := c.Preview(1)
			require.NoError(t, err)
			require.Equalf(t, uint64(rows-loaded), p.Count(), "operations of %d rows, of which %d were loaded", rows, loaded)
			for k := range p.Count() {
				row, due := all[loaded+int(k)], at[loaded+int(k)]-at[loaded]
				p.Operation(k, "rows", func(touch Touch) {
					if want := keyOf(row); touch.Key.Partition != want[0] || touch.Key.Row != want[1] || p.At(k) != due {
						t.Fatalf("%s: operation %d is at %v of %v; want %q at %v, as row %d has it", design, k, p.At(k), touch.Key, want, due, loaded+int(k))
					}
				})
			}
		}
	}
}
