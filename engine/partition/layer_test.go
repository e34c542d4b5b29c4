package partition_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

var rewrite = flag.Bool("rewrite", false, "write the golden replies of testdata anew")

// TestScripts runs each situation of testdata: commands, each followed by its
// golden reply. The commands are
//
//	model NAME=VALUE …        a new layer of the documented profile, changed so
//	admit AT KEY COST [xN]    N requests at an instant; reply: how many passed
//	charge AT KEY ENTITIES    what a scan owes beyond its admission
//	offer FROM TO EVERY KEY COST   one request EVERY, in [FROM, TO)
//
// A key may be account/key; the account is 0 otherwise.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, golden)
			if *rewrite {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, golden) {
				t.Errorf("play(%s) =\n%s\nwant\n%s", file, got, golden)
			}
		})
	}
}

// play copies a script, with the replies ("  = …") made anew.
func play(t *testing.T, script []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	s := &stage{t: t}
	lines := bufio.NewScanner(bytes.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "  =") {
			continue
		}
		fmt.Fprintln(&out, line)
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "#") {
			fmt.Fprintf(&out, "  = %s\n", s.do(fields))
		}
	}
	return out.Bytes()
}

type stage struct {
	t     *testing.T
	layer *partition.Layer
}

func (s *stage) do(f []string) string {
	switch f[0] {
	case "model":
		m, err := model.New(model.Documented)
		for _, setting := range f[1:] {
			name, value, _ := strings.Cut(setting, "=")
			if err == nil {
				err = m.Set(name, value)
			}
		}
		if err != nil {
			s.t.Fatal(err)
		}
		s.layer = partition.New(m)
		return fmt.Sprintf("%d/s a partition, %d/s an account", m.PartitionTarget, m.AccountTarget)
	case "admit":
		times := 1
		if len(f) > 4 {
			times = s.number(strings.TrimPrefix(f[4], "x"))
		}
		var passed tally
		for range times {
			passed.add(s.layer.Admit(s.instant(f[1]), s.place(f[2]), int64(s.number(f[3]))))
		}
		return passed.String()
	case "charge":
		s.layer.Charge(s.instant(f[1]), s.place(f[2]), int64(s.number(f[3])))
		s.layer.ChargeAccount(s.instant(f[1]), s.place(f[2]).Account, int64(s.number(f[3])))
		return "charged"
	case "offer":
		var passed tally
		every := s.instant(f[3])
		for at := s.instant(f[1]); at < s.instant(f[2]); at += every {
			passed.add(s.layer.Admit(at, s.place(f[4]), int64(s.number(f[5]))))
		}
		return passed.String()
	default:
		s.t.Fatalf("unknown command %q", f[0])
		return ""
	}
}

func (s *stage) instant(text string) clock.Instant {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return clock.Instant(d)
}

func (s *stage) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *stage) place(text string) partition.Place {
	account, key, cut := strings.Cut(text, "/")
	if !cut {
		return partition.Place{PartitionKey: text}
	}
	return partition.Place{Account: uint32(s.number(account)), PartitionKey: key}
}

// tally counts verdicts.
type tally [3]int

func (t *tally) add(v partition.Verdict) { t[v]++ }

func (t *tally) String() string {
	return fmt.Sprintf("%d admitted, %d over the partition's, %d over the account's",
		t[partition.Admitted], t[partition.PartitionBusy], t[partition.AccountBusy])
}
