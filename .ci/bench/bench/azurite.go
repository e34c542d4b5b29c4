package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"loadgenbench/process"
)

// azuritesAccount is the emulator's own, published with it, and its key.
const (
	azuritesAccount = "devstoreaccount1"
	azuritesKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// azuriteScript is where npm puts the table service of the package, below a folder.
const azuriteScript = "node_modules/azurite/dist/src/table/main.js"

// missingError says that a peer is not installed, and how it would be.
type missingError struct{ what, install string }

func (m *missingError) Error() string {
	return m.what + ", so Azurite is missing; to install it: " + m.install
}

// findAzurite returns the command that starts Azurite's table service: the one on the path, or
// what npm has put below this folder, that of the checks, or one above.
func findAzurite() ([]string, error) {
	if program, err := exec.LookPath("azurite-table"); err == nil {
		return []string{program}, nil
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, &missingError{"no node on the path", "install Node.js with npm, then npm install -g azurite"}
	}
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		for _, below := range []string{folder, filepath.Join(folder, ".ci", "peers")} {
			script := filepath.Join(below, azuriteScript)
			if _, err := os.Stat(script); err == nil {
				return []string{node, script}, nil
			}
		}
		if filepath.Dir(folder) == folder {
			break
		}
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return nil, &missingError{"no Azurite, no npm on the path", "install npm, then npm install -g azurite"}
	}
	return nil, &missingError{"no Azurite here", "npm install -g azurite; or, from a clone, npm --prefix .ci/peers ci --ignore-scripts"}
}

// maxPorts is how many ports are tried: one that is free can be taken by another program
// before Azurite has it, which does not print the port that it chose.
const maxPorts = 5

// startAzurite starts Azurite's table service in memory, with its telemetry off.
func (o *Options) startAzurite(ctx context.Context) (*server, error) {
	command, err := findAzurite()
	if err != nil {
		return nil, err
	}
	var faults []error
	for range maxPorts {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		args := append(command[1:len(command):len(command)], "--tableHost", "127.0.0.1", "--tablePort", port,
			"--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--silent")
		child, _, err := process.Start(ctx, o.Clock, func(line string) bool { return strings.Contains(line, "successfully") }, command[0], args...)
		if err == nil {
			return open(ctx, ofAzurite, child, fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=http://127.0.0.1:%s/%[1]s",
				azuritesAccount, azuritesKey, port), o.Clock)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		faults = append(faults, err)
	}
	return nil, &missingError{"Azurite does not start: " + strings.ReplaceAll(faults[0].Error(), "\n", " "), "start " + strings.Join(command, " ") + " to see why"}
}

// freePort returns a port of this machine that was free a moment ago.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
