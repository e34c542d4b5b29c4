package rest_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

var rewrite = flag.Bool("rewrite", false, "write the golden replies of testdata anew; read the difference before committing it")

// A golden file begins with the model and its settings. Then come exchanges, in
// order, with one service: after a line that begins with -- send what is sent,
// after -- reply what comes back, byte for byte. A line ends with CR LF on the
// wire; what is shown as \n is a line feed alone. {lite}, {key} and {length}
// stand for a signature by either scheme and for the length of the body.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.Truef(t, err == nil && len(files) != 0, "Glob = %v, %v; want files", files, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			golden := must(os.ReadFile(file))(t)
			got := replay(t, string(golden))
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
			} else {
				assert.Empty(t, cmp.Diff(string(golden), got), file)
			}
		})
	}
}

// replay sends what a golden file sends, and returns the file with the replies
// that came back.
func replay(t *testing.T, golden string) string {
	head, script, _ := strings.Cut(golden, "\n-- send")
	profile, settings := "off", []string(nil)
	for line := range strings.Lines(head) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "model" {
			profile, settings = words[1], words[2:]
		}
	}
	server := open(t, rest.ListenOptions{Handler: newService(t, resttest.Options{Profile: profile, Settings: settings})})
	out := head
	for exchange := range strings.SplitSeq(script, "\n-- send") {
		sent, _, _ := strings.Cut(exchange, "\n-- reply")
		title, text, _ := strings.Cut(sent, "\n")
		reply := converse(t, server.Address(), fill(text))
		out += "\n-- send" + title + "\n" + text + "\n-- reply\n" + show(reply)
	}
	return out + "\n"
}

// fill makes of a request in a golden file the bytes to send.
func fill(text string) []byte {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	head, body, _ := strings.Cut(text, "\r\n\r\n")
	line, _, _ := strings.Cut(head, "\r\n")
	words := strings.Fields(line)
	header := func(name string) string {
		_, rest, _ := strings.Cut(head, "\r\n"+name+": ")
		value, _, _ := strings.Cut(rest, "\r\n")
		return value
	}
	path, query, _ := strings.Cut(words[1], "?")
	resource := "/" + account + path
	if _, comp, found := strings.Cut("&"+query, "&comp="); found {
		comp, _, _ = strings.Cut(comp, "&")
		resource += "?comp=" + comp
	}
	sent := header("x-ms-date")
	head = strings.NewReplacer(
		"{length}", fmt.Sprint(len(body)),
		"{lite}", "SharedKeyLite "+account+":"+contoso.MAC(sent+"\n"+resource),
		"{key}", "SharedKey "+account+":"+contoso.MAC(words[0]+"\n\n"+header("Content-Type")+"\n"+sent+"\n"+resource),
	).Replace(head)
	return []byte(head + "\r\n\r\n" + body)
}

// show makes of a reply what a golden file has.
func show(reply []byte) string {
	const crlf = "\x00"
	text := strings.ReplaceAll(string(reply), "\r\n", crlf)
	text = strings.ReplaceAll(text, "\n", `\n`)
	return strings.ReplaceAll(text, crlf, "\n")
}

// converse sends a request over a connection of its own and reads the reply, by
// its length.
func converse(t *testing.T, address string, request []byte) []byte {
	t.Helper()
	c := resttest.DialConn(t, address)
	defer c.Close()
	c.Send(string(request))
	var reply bytes.Buffer
	c.In.Reset(io.TeeReader(c.Conn, &reply))
	_, _, err := c.Reply()
	require.NoErrorf(t, err, "reply = %q", reply.String())
	return reply.Bytes()
}
