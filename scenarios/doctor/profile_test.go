package doctor_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/fields"
)

// whole has every field.
func whole() *doctor.Profile {
	return &doctor.Profile{At: "127.0.0.1:10002", Kind: doctor.EmulatorProfile, Server: "Azurite-Table/3.35.0", On: time.Date(2026, 11, 25, 18, 30, 0, 0, time.UTC),
		Lasted: 3*time.Minute + 2*time.Second, Requests: 31_000, Throttled: 900, Failed: 1, Entities: 80_000, Sent: 1 << 30, Received: 1 << 20, Base: "documented",
		Values: []doctor.ProfileValue{
			{Name: "partition_target", Value: "1234", Low: "1230", High: "1239", Samples: 8225, By: "served of an overload"},
			{Name: "read_time", Value: "2.917ms", Low: "2.6ms", High: "3.276ms", Samples: 1000, By: "p50(get), with \"quotes\" and: colons"},
		},
		Figures:  []doctor.ProfileValue{{Name: "p50(get)", Value: "3.7ms", Low: "3.6ms", High: "3.8ms", Samples: 1000, By: "at 50/s"}},
		Unlearnt: []doctor.ProfileGap{{What: "account_target", Why: "it was not asked for"}}}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for name, p := range map[string]*doctor.Profile{"all fields": whole(), "nothing learnt": {Kind: doctor.UnknownProfile, Base: "headroom", On: whole().On}} {
		read, err := doctor.ParseProfile("p.yaml", p.Text())
		if err != nil || !reflect.DeepEqual(read, p) {
			t.Errorf("%s: Parse(Text()) = %+v, %v; want %+v\n%s", name, read, err, p, p.Text())
		}
	}
}

func TestDamagedProfiles(t *testing.T) {
	text := string(whole().Text())
	for _, row := range []struct{ sentence, was, is, says string }{
		{"a file of another kind", text, "name: stress\n", "1:1: this is no profile: it has no loadgen_profile"},
		{"a file that is empty", text, "", "1:1: this is no profile"},
		{"a list", text, "- 1\n", "this is no profile"},
		{"no YAML", "kind: \"emulator\"", "kind: [", "p.yaml:"},
		{"an older version", "loadgen_profile: 1", "loadgen_profile: 0", "version 0; expected 1"},
		{"a newer version", "loadgen_profile: 1", "loadgen_profile: 2", "version 2; expected 1"},
		{"a field that nobody knows", "kind:", "knid:", `unknown field "knid"; did you mean "kind"?`},
		{"a parameter that nobody knows", `"partition_target"`, `"partition_targets"`, "partition_targets"},
		{"a parameter that does not exist, by its line", "name: partition_target", "name: partition_goal", "p.yaml:18:"},
		{"a value that the model cannot take", `"1234"`, `"-3"`, "it must be"},
		{"a value of another unit", `"2.917ms"`, `"2917"`, "duration"},
		{"an interval without its value", `high: "1239"`, `high: "1231"`, "expected one that holds it"},
		{"no samples", "samples: 8225", "samples: 0", "expected a whole number from 1"},
		{"a profile of the model that nobody knows", `base: "documented"`, `base: "documentd"`, `did you mean "documented"?`},
		{"a day that is none", "2026-11-25", "2026-13-25", "expected an instant"},
		{"text that moves a cursor", "it was not asked for", `\x1b[2J`, "expected a line"},
		{"a value that is there twice", `"read_time"`, `"partition_target"`, "partition_target"},
		{"what ends in the middle", text, text[:len(text)/2], "p.yaml:"},
	} {
		was := row.was
		if !strings.Contains(text, was) {
			was = strings.ReplaceAll(was, `"`, "")
		}
		damaged := strings.Replace(text, was, row.is, 1)
		if damaged == text {
			t.Fatalf("%s: there is no %q in\n%s", row.sentence, row.was, text)
		}
		_, err := doctor.ParseProfile("p.yaml", []byte(damaged))
		var faults fields.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), row.says) || faults[0].File != "p.yaml" || faults[0].Line == 0 {
			t.Errorf("%s: %v; want a located fault that says %q", row.sentence, err, row.says)
		}
	}
}

func TestUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, whole().Text(), 0o644); err != nil {
		t.Fatal(err)
	}
	s, _, err := scenarios.Open("stress")
	if err != nil {
		t.Fatal(err)
	}
	if err := doctor.UseProfile(s, file); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("model.write_time", "9ms"); err != nil {
		t.Fatal(err)
	}
	m, err := s.PartitionModel()
	if err != nil || m.PartitionTarget != 1234 || m.ReadTime != 2917*time.Microsecond || m.WriteTime != 9*time.Millisecond || m.AccountTarget != 20_000 {
		t.Errorf("the model is %+v, %v; want what was measured, what was set, and the rest documented", m, err)
	}
	if want := "mine.yaml, measured at 127.0.0.1:10002 on 2026-11-25"; s.Model.Name() != want {
		t.Errorf("the model is called %q; want %q", s.Model.Name(), want)
	}
	again, err := scenarios.Parse("again", s.Text())
	if err != nil || !bytes.Equal(again.Text(), s.Text()) || again.Model.Name() != s.Model.Name() {
		t.Errorf("the scenario's text does not keep what was measured: %v\n%s", err, s.Text())
	}
	if err := doctor.UseProfile(s, "headroom"); err != nil || s.Model.Name() != "headroom" || s.Model.Measured != nil {
		t.Errorf("Use(headroom) = %v, called %q", err, s.Model.Name())
	}
	for name, says := range map[string]string{"documentd": `did you mean "documented"?`, "no-such.yaml": "cannot be read: no such file", t.TempDir(): "cannot be read"} {
		if err := doctor.UseProfile(s, name); err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, fields.ErrInvalid) {
			t.Errorf("Use(%s) = %v; want a fault that says %q", name, err, says)
		}
	}
}

// Whatever a file holds is read or refused, with a line; what is read is written and read alike.
func FuzzParse(f *testing.F) {
	f.Add(whole().Text())
	f.Add([]byte("loadgen_profile: 1\n"))
	f.Add([]byte("loadgen_profile: 1\nvalues: [{name: read_time}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := doctor.ParseProfile("p.yaml", text)
		var faults fields.Faults
		if err != nil {
			if !errors.As(err, &faults) {
				t.Fatalf("Parse = %v; want faults", err)
			}
			return
		}
		again, err := doctor.ParseProfile("p.yaml", p.Text())
		if err != nil || !bytes.Equal(again.Text(), p.Text()) {
			t.Fatalf("%v\n%s\nis read again as\n%s", err, p.Text(), again.Text())
		}
	})
}
