package doctor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// ParseProfile parses a profile; file is its name in faults. The error is [fields.Faults].
func ParseProfile(file string, text []byte) (*Profile, error) {
	tree, faults := fields.ReadTree(file, text)
	if len(faults) > 0 {
		return nil, faults
	}
	r := new(fields.Reader)
	p, version := new(Profile), 0
	switch written := tree.Find(versionField); {
	case tree.Kind != fields.Dict || written == nil:
		r.Fault(tree.At, "", "not a profile: no %s; expected a file of `loadgen calibrate`", versionField)
	case written.Text != strconv.Itoa(profileVersion):
		r.Fault(tree.At, "", "profile version %s; expected %d: measure again", written.Shown(), profileVersion)
	default:
		binding(p, &version).Read(r, "", tree)
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
	m, err := model.New(p.Base)
	if err != nil {
		return p, err
	}
	for _, v := range p.Values {
		if err := m.Set(v.Name, v.Value); err != nil {
			return p, err
		}
	}
	for _, one := range m.Validate() {
		r.Fault(tree.Find(versionField).At, "values", "%v", one)
	}
	return p, r.Faults.ErrorOrNil()
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
	var text []byte
	opened, err := os.Open(name)
	if err == nil {
		defer opened.Close()
		text, err = io.ReadAll(io.LimitReader(opened, fields.MaxBytes+1))
	}
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // without its name
		}
		return "", nil, fields.Faults{{File: name, What: "read profile: " + err.Error()}}
	}
	p, err := ParseProfile(name, text)
	if err != nil {
		return "", nil, err
	}
	return p.Base, p.Measured(filepath.Base(name)), nil
}

// UseProfile sets a scenario's profile, see [ChooseProfile].
func UseProfile(s *scenarios.Scenario, name string) error {
	base, measured, err := ChooseProfile(name)
	if err == nil {
		s.UseMeasured(base, measured)
	}
	return err
}
