package doctor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// profileVersion is the version of the format.
const profileVersion = 1

// The kinds of host.
const (
	ServiceProfile  = "service"
	EmulatorProfile = "emulator"
	UnknownProfile  = "unknown"
)

// Profile is the result of measuring a table service. Tags are the format of its file.
type Profile struct {
	_ struct{} `object:"a profile"`
	// Version is that of the format; Text sets it.
	Version int `yaml:"loadgen_profile,required" range:"1..1" json:"-"`
	// At is the host, Kind one of [ServiceProfile], [EmulatorProfile] and [UnknownProfile], Server
	// the service's name for itself.
	At     string `yaml:"host,required" form:"line" json:"host"`
	Kind   string `yaml:"kind,required" form:"kind of host" json:"kind"`
	Server string `yaml:"server,required" form:"line" json:"server"`
	// On is the start in UTC, Lasted the duration.
	On     time.Time     `yaml:"date,required" form:"instant" json:"date"`
	Lasted time.Duration `yaml:"lasted,required" range:"0s..720h" json:"-"`
	// The attempts, the entities counted by the documented rule, and bytes.
	Requests  int64 `yaml:"requests,required" range:"0..1152921504606846976" json:"requests"`
	Throttled int64 `yaml:"throttled,required" range:"0..1152921504606846976" json:"throttled"`
	Failed    int64 `yaml:"failed,required" range:"0..1152921504606846976" json:"failed"`
	Entities  int64 `yaml:"entities,required" range:"0..1152921504606846976" json:"entities"`
	Sent      int64 `yaml:"bytes_sent,required" range:"0..1152921504606846976" json:"-"`
	Received  int64 `yaml:"bytes_received,required" range:"0..1152921504606846976" json:"-"`
	// Base is the model's profile for values that were not measured.
	Base string `yaml:"base,required" form:"profile" json:"-"`
	// Values are model parameters, Figures other measurements.
	Values   []ProfileValue `yaml:"values" list:"0..200 values" form:"parameter" json:"values"`
	Figures  []ProfileValue `yaml:"figures" list:"0..200 values" json:"figures"`
	Unlearnt []ProfileGap   `yaml:"unlearnt" list:"0..200 unlearnt values" json:"unlearnt"`
}

// ProfileValue is a measurement.
type ProfileValue struct {
	_ struct{} `object:"a value"`
	// Name is a model parameter or a figure.
	Name string `yaml:"name,required" form:"line" json:"name" col:""`
	// Value is a whole number or a duration. Low and High are its 95% interval.
	Value string `yaml:"value,required" form:"line" json:"value" col:"|text"`
	Low   string `yaml:"low,required" form:"line" json:"low" col:"from|text"`
	High  string `yaml:"high,required" form:"line" json:"high" col:"to|text"`
	// Samples is the number of attempts or trials.
	Samples int64 `yaml:"samples,required" range:"1..1152921504606846976" json:"samples" col:""`
	// By is the method.
	By string `yaml:"by,required" form:"line" json:"by" col:""`
}

// ProfileGap is a value that was not measured.
type ProfileGap struct {
	_    struct{} `object:"a gap"`
	What string   `yaml:"what,required" form:"line" json:"what"`
	Why  string   `yaml:"why,required" form:"line" json:"why"`
}

// Parameter returns a model value, false if it was not measured.
func (p *Profile) Parameter(name string) (ProfileValue, bool) {
	at := slices.IndexFunc(p.Values, func(v ProfileValue) bool { return v.Name == name })
	if at < 0 {
		return ProfileValue{}, false
	}
	return p.Values[at], true
}

// amount parses a whole number, or a duration in nanoseconds.
func amount(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	d, err := time.ParseDuration(text)
	return int64(d), err == nil
}

// Measured returns the profile for a scenario; file is its name.
func (p *Profile) Measured(file string) *scenarios.Measured {
	m := &scenarios.Measured{File: file, At: p.At, On: p.On.UTC().Format(time.DateOnly)}
	for _, v := range p.Values {
		m.Values = append(m.Values, scenarios.Override{Name: v.Name, Text: v.Value})
	}
	return m
}

// heading is the start of every file.
const heading = `# What loadgen calibrate has measured of a table service. Use it with --profile FILE.
# Each value lies from low to high with a confidence of 95%; what is under unlearnt, and
# every parameter of the model that is not under values, is that of the base profile.
`

// Text returns the file.
func (p *Profile) Text() []byte {
	copied := *p
	copied.Version, copied.On = profileVersion, copied.On.UTC().Truncate(time.Second)
	return append([]byte(heading), fields.PrintTree(bind(&copied).Write())...)
}

func bind(into any) fields.Object { return fields.Binder{Form: formValue}.Bind(into) }

// formValue returns the binding of a value whose tag names a form.
func formValue(form string, into any) fields.Binding {
	switch into := into.(type) {
	case *time.Time:
		return fields.Single[time.Time]{Into: into, Expected: "an instant such as 2026-11-25T18:30:00Z", Quotes: true,
			Written: func(t time.Time) string { return t.Format(time.RFC3339) },
			Parse: func(text string) (time.Time, bool) {
				t, err := time.Parse(time.RFC3339, text)
				return t.UTC(), err == nil && t.Year() >= 2000 && t.Year() < 2200
			}}
	case *ProfileValue:
		o := bind(into)
		o.Then = func(r *fields.Reader, path string, n *fields.Node) {
			if len(r.Faults) > 0 {
				return
			}
			if field, err := parameter(*into); err != nil {
				r.Fault(n.Find(field).At, fields.Child(path, field), "%v", err)
			}
		}
		return o
	}
	text := into.(*string)
	switch form {
	case "kind of host":
		return fields.Choice{Into: text, What: form, Of: []string{ServiceProfile, EmulatorProfile, UnknownProfile}}
	case "profile":
		return fields.Choice{Into: text, What: form, Of: model.Profiles()}
	default:
		return fields.Text{Into: text, Expected: fmt.Sprintf("a line of up to %d bytes", maxTextBytes),
			Allow: func(s string) bool { return len(s) <= maxTextBytes && !control.MatchString(s) }}
	}
}

// versionField is the name of the version, which identifies a profile.
const versionField = "loadgen_profile"

// maxTextBytes is the maximum length of a text in bytes.
const maxTextBytes = 500

// control are characters that a terminal must not get.
var control = regexp.MustCompile(`[\x00-\x1f\x7f-\x9f]`)

// ParseProfile parses a profile; file is its name in faults. The error is [fields.Faults].
func ParseProfile(file string, text []byte) (*Profile, error) {
	tree, faults := fields.ReadTree(file, text)
	if len(faults) > 0 {
		return nil, faults
	}
	r, p := new(fields.Reader), new(Profile)
	switch written := tree.Find(versionField); {
	case tree.Kind != fields.Dict || written == nil:
		r.Fault(tree.At, "", "not a profile: no %s; expected a file of `loadgen calibrate`", versionField)
	case written.Text != strconv.Itoa(profileVersion):
		r.Fault(tree.At, "", "profile version %s; expected %d: measure again", written.ShortText(), profileVersion)
	default:
		bind(p).Read(r, "", tree)
	}
	if len(r.Faults) > 0 {
		return nil, r.Faults
	}
	// The values are valid one by one; these checks compare them.
	seen := map[string]bool{}
	for i, v := range p.Values {
		if seen[v.Name] {
			r.Fault(tree.Find("values").Items[i].At, "values."+strconv.Itoa(i), "%s occurs twice; expected once", v.Name)
		}
		seen[v.Name] = true
	}
	for _, one := range modelFaults(p.Base, p.Values) {
		r.Fault(tree.Find(versionField).At, "values", "%v", one)
	}
	return p, r.Faults.ErrorOrNil()
}

// modelFaults returns the faults of a profile of the model with values.
func modelFaults(base string, values []ProfileValue) []error {
	m, err := model.New(base)
	for _, v := range values {
		if err == nil {
			err = m.Set(v.Name, v.Value)
		}
	}
	if err != nil {
		return []error{err}
	}
	return m.Validate()
}

// parameter returns the fault of a model value and its field.
func parameter(v ProfileValue) (field string, err error) {
	m, err := model.New(model.Documented)
	if err != nil {
		return "name", err
	}
	switch err := m.Set(v.Name, v.Value); {
	case errors.Is(err, model.ErrUnknown) || v.Name == model.RegionName:
		return "name", errors.New(nearest.Unknown("model parameter", v.Name, model.Names()))
	case err != nil:
		return "value", errors.New(nearest.What(err))
	}
	value, _ := amount(v.Value)
	low, sound := amount(v.Low)
	high, also := amount(v.High)
	if !sound || !also || low > value || value > high {
		return "value", fmt.Errorf("%s is %s, outside its interval %s to %s", v.Name, v.Value, v.Low, v.High)
	}
	return "", nil
}

// ChooseProfile returns a profile of the model by its name, or reads a file. The error is
// [fields.Faults].
func ChooseProfile(name string) (base string, measured *scenarios.Measured, err error) {
	if slices.Contains(model.Profiles(), name) {
		return name, nil, nil
	}
	if _, err := os.Stat(name); err != nil && !strings.ContainsAny(name, `./\`) {
		return "", nil, fields.Faults{{File: "--profile", What: nearest.Unknown("profile", name, model.Profiles()) + ", or a file of `loadgen calibrate`"}}
	}
	text, err := readBounded(name)
	if err != nil {
		return "", nil, fields.Faults{{File: name, What: "read profile: " + err.Error()}}
	}
	p, err := ParseProfile(name, text)
	if err != nil {
		return "", nil, err
	}
	return p.Base, p.Measured(filepath.Base(name)), nil
}

// readBounded reads one byte more than a profile may have. Its error does not repeat the name.
func readBounded(name string) ([]byte, error) {
	var text []byte
	opened, err := os.Open(name)
	if err == nil {
		defer opened.Close()
		text, err = io.ReadAll(io.LimitReader(opened, fields.MaxBytes+1))
	}
	if path := new(fs.PathError); errors.As(err, &path) {
		err = path.Err
	}
	return text, err
}

// UseProfile sets a scenario's profile, see [ChooseProfile].
func UseProfile(s *scenarios.Scenario, name string) error {
	base, measured, err := ChooseProfile(name)
	if err == nil {
		s.UseMeasured(base, measured)
	}
	return err
}
