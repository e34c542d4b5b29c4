package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"loadgen/engine/model"
)

// A profile that assumes something else is another version of the model.
func TestVersionIsOfTheseProfiles(t *testing.T) {
	const digest, of = "588320575249ecbb", 1
	all := sha256.New()
	for _, profile := range model.Profiles() {
		for _, p := range mustNew(t, profile).Parameters() {
			least, greatest := p.Bounds()
			fmt.Fprintf(all, "%s %s=%s %s %s..%s\n", profile, p.Name, p.Text(), p.Unit, least, greatest)
		}
	}
	if got := hex.EncodeToString(all.Sum(nil))[:16]; got != digest || model.Version != of {
		t.Errorf("version %d assumes %s, and %s was version %d: raise model.Version, write both here, and say in CHANGELOG.md what is assumed now",
			model.Version, got, digest, of)
	}
}
