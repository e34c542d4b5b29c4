package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/live/page"
	"loadgen/report/text"
	"loadgen/scenarios/fields"
)

var (
	badValue      = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-\w, )?(--[\w-]+)" flag`)
	unknownFlag   = regexp.MustCompile(`^unknown flag: --([^\s=]+)`)
	unknownLetter = regexp.MustCompile(`^unknown shorthand flag: '(.)' in (-\S+)`)
)

// flagFault returns an error about the flags of a command on one line, with the nearest flag that exists or the
// expected value.
func flagFault(c *cobra.Command, err error) error {
	name, typed := "", ""
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		name, typed = match[1], "--"+match[1]
	} else if match := unknownLetter.FindStringSubmatch(err.Error()); match != nil {
		name, typed = match[1], "-"+match[1]
	}
	if name != "" {
		for _, one := range renamedFlags() {
			if slices.Contains(strings.Fields(one.was), name) && one.concerns(c) {
				return usageError{fmt.Errorf("%s is %s now; expected that", typed, one.is)}
			}
		}
		return usageError{fmt.Errorf("there is no flag %s; %s", typed, hintOf(c, name))}
	}
	if match := badValue.FindStringSubmatch(err.Error()); match != nil {
		expected := "another value"
		if f := c.Flags().Lookup(strings.TrimPrefix(match[2], "--")); f != nil {
			typed, _ := strconv.Unquote(match[1])
			expected = expectedBy(f, typed)
		}
		return usageError{fmt.Errorf("%s %s: expected %s", match[2], match[1], expected)}
	}
	return usageError{fmt.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())}
}

// expectedBy returns the values that a flag takes, for an error about another one.
func expectedBy(f *pflag.Flag, typed string) string {
	if one, knows := f.Value.(interface{ expected(string) string }); knows {
		return one.expected(typed)
	}
	switch f.Value.Type() {
	case "float64":
		return "a number such as 1500"
	case "duration":
		return "a duration with its unit, such as 4s"
	case "uint64":
		return "a whole number of 0 or more"
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	default:
		return "a text"
	}
}

// named names the flags of a command in what is wrong with the fields that they fill, all
// on one line: each fault says which flag it is of, and with what value. What is wrong with
// one item of a list says that item itself.
func named(flags *pflag.FlagSet, faults ...error) error {
	var lines []string
	for _, err := range faults {
		var fault fields.Fault
		if errors.As(err, &fault) && fault.File == "" {
			name, _, item := strings.Cut(fault.Path, ".")
			if f := flags.Lookup(name); f != nil {
				fault.File = "--" + f.Name
				if f.Value.Type() != "bool" && !item {
					fault.File += " " + strings.Trim(f.Value.String(), "[]")
				}
			}
			err = fault
		}
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return nil
	}
	return usageError{errors.New(strings.Join(lines, "; "))}
}

// flagged names the flags in errors of a plan. Other errors are returned unchanged: faults of a scenario name its
// lines.
func flagged(flags *pflag.FlagSet, err error) error {
	list := []error{err}
	if joined, many := err.(interface{ Unwrap() []error }); many {
		list = joined.Unwrap()
	}
	for _, one := range list {
		if fault, is := one.(fields.Fault); !is || fault.File != "" {
			return err
		}
	}
	return named(flags, list...)
}

// formFlags say in which form results are printed, and how much of them.
type formFlags struct {
	Format  string `flag:"format,o" group:"Output" words:"text,json,md,csv,html" default:"text"`
	Verbose bool   `flag:"verbose" group:"Output"`
}

// show prints a document in the form that was asked for, which is one of every document.
func (f *formFlags) show(stdout io.Writer, d *document.Document) error {
	return report.Print(text.Unwrap(stdout), d, f.Format, f.look(stdout))
}

// look is how a text is laid out where it goes.
func (f *formFlags) look(stdout io.Writer) text.Look {
	// Where no locale is set, more than ASCII is shown.
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	look := text.Look{Verbose: f.Verbose, ASCII: locale != "" && !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")}
	if look.Columns = terminalColumns(stdout); look.Columns == 0 {
		return look
	}
	look.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return look
}

// renamedFlag has flags of a verb, or of all for an empty one, that were replaced by another flag or an argument.
type renamedFlag struct{ verb, was, is string }

// concerns reports whether the command had the flag and has what replaced it.
func (r renamedFlag) concerns(c *cobra.Command) bool {
	flag, isFlag := strings.CutPrefix(r.is, "--")
	if at := strings.IndexAny(flag, "= "); at >= 0 {
		flag = flag[:at]
	}
	return (r.verb == "" || strings.HasSuffix(c.CommandPath(), " "+r.verb)) && (!isFlag || c.Flags().Lookup(flag) != nil)
}

// helpRows returns the lines of a section of the help, each with its fields.
func helpRows(section string) (rows [][]string) {
	_, text := helpSection(section)
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, strings.Split(line, " | "))
	}
	return rows
}

// renamedFlags returns the flags that had other names. None has an alias.
func renamedFlags() (list []renamedFlag) {
	for _, row := range helpRows("@renamed") {
		list = append(list, renamedFlag{row[0], row[1], row[2]})
	}
	return list
}

// peerFlag has flags of other load generators, the flag here, why that has another name, and what a verb without the
// flag takes.
type peerFlag struct{ theirs, flag, says, otherwise string }

func peerFlags() (list []peerFlag) {
	for _, row := range helpRows("@peers") {
		list = append(list, peerFlag{row[0], row[1], row[2], row[3]})
	}
	return list
}

// hintOf says what to type in place of a flag that a command does not have.
func hintOf(c *cobra.Command, name string) string {
	for _, one := range peerFlags() {
		switch {
		case !slices.Contains(strings.Fields(one.theirs), name):
		case c.Flags().Lookup(one.flag) != nil:
			return fmt.Sprintf("%s: --%s", one.says, one.flag)
		default:
			return "use " + one.otherwise
		}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, found := nearest.Name(name, names); found && len(name) > 1 {
		return "the nearest is --" + near
	}
	return fmt.Sprintf("`loadgen help%s` lists the flags", c.CommandPath()[len("loadgen"):])
}

// liveFlag is the address of a live page. Without a value it is any free port.
type liveFlag struct {
	address string
	asked   bool
}

var _ pflag.Value = (*liveFlag)(nil)

// addressed has a port, or a host and a port, that stands behind the flag for a live page, parted
// from it by a space, belong to it: a flag that can stand alone takes no word after it.
func addressed(arguments []string) []string {
	var joined []string
	for i := 0; i < len(arguments); i++ {
		word := arguments[i]
		if word == "--" {
			return append(joined, arguments[i:]...)
		}
		if word == "--live-page" && i+1 < len(arguments) {
			_, port, err := net.SplitHostPort(arguments[i+1])
			if _, number := strconv.ParseUint(port, 10, 16); err == nil && number == nil {
				i++
				word += "=" + arguments[i]
			}
		}
		joined = append(joined, word)
	}
	return joined
}

// String implements [pflag.Value].
func (f *liveFlag) String() string { return f.address }

// Type implements [pflag.Value].
func (f *liveFlag) Type() string { return "address" }

// Set implements [pflag.Value].
func (f *liveFlag) Set(address string) error {
	f.address, f.asked = address, true
	return nil
}

// show opens the page as open does, and says where it is.
func (f *liveFlag) show(ctx context.Context, stderr io.Writer) (*page.Server, error) {
	shown, err := f.open(stopOf(ctx))
	if shown != nil {
		fmt.Fprintf(stderr, "live page: %s\n", shown.URL())
	}
	return shown, err
}

// open opens the page, nil where none was asked for. Stop ends what it shows, as Ctrl-C does.
func (f *liveFlag) open(stop func()) (*page.Server, error) {
	if !f.asked {
		return nil, nil
	}
	opened, err := page.Open(page.Options{Address: f.address, Stop: stop})
	if err != nil {
		return nil, usageError{fmt.Errorf("live page at %s: %w", f.address, err)}
	}
	return opened, nil
}

// setOptions gives the options in the text of a flag, each name=value, their values.
func setOptions(flag string, options *pflag.FlagSet, words ...string) error {
	for _, word := range words {
		name, value, hasValue := strings.Cut(word, "=")
		f := options.Lookup(name)
		if f == nil {
			var known []string
			options.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
			return usageError{fmt.Errorf("%s: %s", flag, nearest.Unknown("option", name, known))}
		}
		if !hasValue {
			value = f.NoOptDefVal
		}
		if err := options.Set(name, value); err != nil {
			return usageError{fmt.Errorf("%s: %s: expected %s", flag, word, expectedBy(f, value))}
		}
	}
	return nil
}

// parsePairs returns the values of texts NAME=VALUE by their names. Fault makes the error about a text without a name,
// with a name of before, or with no value if each needs one.
func parsePairs(texts []string, needsValue bool, fault func(text string) error) (map[string]string, error) {
	values := make(map[string]string)
	for _, text := range texts {
		name, value, cut := strings.Cut(text, "=")
		if _, twice := values[name]; !cut || name == "" || twice || needsValue && value == "" {
			return nil, usageError{fault(text)}
		}
		values[name] = value
	}
	return values, nil
}

// share is a part of one, typed as a percentage.
type share float64

var errShare = errors.New("expected a percentage from 0% to below 100%, such as 0.5%")

func (s *share) String() string { return strconv.FormatFloat(float64(*s)*100, 'g', -1, 64) + "%" }
func (s *share) Type() string   { return "share" }

func (s *share) Set(text string) error {
	value, err := parseShare(text)
	*s = share(value)
	return err
}

func (s *share) expected(string) string { return strings.TrimPrefix(errShare.Error(), "expected ") }

// parseShare reads a percentage as a share of one.
func parseShare(text string) (float64, error) {
	number, cut := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !cut || err != nil || !(percent >= 0 && percent < 100) || math.Signbit(percent) {
		return 0, errShare
	}
	return percent / 100, nil
}

// size is a number of bytes above 0.
type size int64

var errSize = errors.New("expected a size such as 512MiB or 2GiB")

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	for _, one := range slices.Backward(sizeUnits[:]) {
		if *s != 0 && *s%(1<<one.shift) == 0 {
			return strconv.FormatInt(int64(*s)>>one.shift, 10) + one.name
		}
	}
	return "0B"
}

// sizeUnits are the units of sizes, by how far they shift a number of bytes.
var sizeUnits = [...]struct {
	name  string
	shift int
}{{"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}

func (s *size) Set(text string) error {
	value, err := parseSize(text)
	if err == nil && value == 0 {
		err = errSize
	}
	*s = size(value)
	return err
}

func (s *size) expected(string) string { return strings.TrimPrefix(errSize.Error(), "expected ") }

var sizeText = regexp.MustCompile(`^([0-9]{1,15}) ?(KiB|MiB|GiB|TiB|B)?$`)

// parseSize reads a size in bytes: a whole number, and a unit unless it is bytes.
func parseSize(text string) (int64, error) {
	match := sizeText.FindStringSubmatch(text)
	if match == nil {
		return 0, errSize
	}
	number, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSize, err)
	}
	shift := 0
	for _, one := range sizeUnits {
		if one.name == match[2] {
			shift = one.shift
		}
	}
	if number > math.MaxInt64>>shift {
		return 0, errSize
	}
	return number << shift, nil
}
