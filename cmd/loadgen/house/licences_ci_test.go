//go:build ci

package house_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linked returns the folders of the modules that the command is linked with on a system.
func linked(t *testing.T, system string) map[string]string {
	command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "loadgen/cmd/loadgen")
	command.Env = append(os.Environ(), "GOOS="+system)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(output)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders[path] = folder
	}
	return folders
}

// Each module that the command is linked with, on any of its systems, is under licences
// that may be linked.
func TestLicencesOfWhatIsLinked(t *testing.T) {
	folders := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		maps.Copy(folders, linked(t, system))
	}
	count := map[string]int{}
	for path, folder := range folders {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var all []string
		for _, file := range files {
			// A text with other words around it, such as a link to the original, is no licence.
			if file.IsDir() || !isLicence(file.Name()) || strings.Contains(file.Name(), "link") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			names, fault := licencesOf(string(text))
			if fault != "" {
				t.Errorf("%s: %s: %s", path, file.Name(), fault)
			}
			all = append(all, names...)
		}
		if len(all) == 0 {
			t.Errorf("%s has no licence", path)
		}
		slices.Sort(all)
		count[strings.Join(slices.Compact(all), " and ")]++
	}
	if len(folders) < 20 {
		t.Errorf("%d modules are linked; where are the others?", len(folders))
	}
	var parts []string
	for _, names := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%d %s", count[names], names))
	}
	t.Logf("%d modules: %s", len(folders), strings.Join(parts, "; "))
}
