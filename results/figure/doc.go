// Package figure defines every figure that is shown, claimed, ranked, gated or exported of a run: its name, unit and
// scope, its better direction, a sentence that describes it, and the one function that computes it from a record.
//
// [NewFigures] opens a record; [Figures.Value] computes a figure by its [Reference], such as p99 of an operation, and [Names] lists
// them all. A [Value] has the number of things that it is computed from, bounds if there are any, and the reason if it is
// unknown. Every output takes figures from here by name, so that two outputs cannot disagree.
//
// A run consists of steps: the reported phases, up to the end of the run. An operation belongs to the step of its intended
// instant, whenever it ends.
//
// The package has no state and reads no file. Results may share the memory of the record, which is never changed.
//
// # Claims
//
// A claim is a condition on the figures of a run, such as "p99(get) < 20ms".
//
// [ParseClaim] reads a claim, [Claim.Figures] returns its figures, so that their names can be checked with a scenario, and
// [Claim.Judge] looks them up in the [ClaimFacts] of a run and compares. [Claim.String] is the canonical text.
// [ParseClaimMetric] reads a single figure, by which runs are compared, with its better direction.
//
//	p99(get) < 20ms                              a figure and a number with its unit
//	throttled(peak) < 1%                         a part of its whole
//	counted(list) / returned(list) <= 1.2        a ratio of two figures of one unit
//	p99(get) - p50(get) < 5ms                    their difference
//	counted(scan) >= 90 * counted(range)         against another figure
//
// The comparisons are < <= > >=, and == and != between counts. A number is plain or
// has one of the units ns, us, ms, s, m, h, % and /s. A plain count is compared as a number; with %, the same figure is its
// share of its whole, and with /s its number per second of its phases. Two figures are compared, or divided, each in its
// own unit.
//
// The scope of a figure follows in parentheses: an operation, a phase or a step of it ("peak 2000/s"), or an operation and
// a phase, where * means any. A name is that of an operation before that of a phase. Without a phase a figure covers all
// reported ones. A partition is hottest, or a PartitionKey in quotes, with quotes inside doubled: among several tables the
// partition with that key whose figure is greatest.
//
// The figures are a closed list. Times of operations that
// succeeded, from their intended instants to the end of their last attempts (response time):
//
//	p50 p90 p95 p99 p99.9     quantiles, known if ten or more durations are longer
//	max mean                  the longest, and the arithmetic mean
//
// Each of the seven with service_ before it is of single ok attempts (service time), with
// throttled_ and failed_ of single attempts of these classes, with lost_ of the operations
// that did not succeed. With wait_ it is of the waits before
// retries, and with lag_ of the time from due to sent; these two are of all reported
// phases together and take no name.
//
// Counts of operations, attempts and entities:
//
//	scheduled        operations that became due = sent + dropped
//	sent             operations whose first attempt was sent
//	dropped          operations never sent; % of scheduled
//	late             first attempts sent over 5 ms after they were due; % of sent
//	operations       operations that were completed
//	succeeded        operations that ended with success; % of operations
//	lost_operations  operations due that did not succeed: given up, failed or dropped;
//	                 % of scheduled
//	requests         attempts made, retries and further pages included = ok + throttled + failed
//	ok               attempts that succeeded; % of requests
//	handled          ok attempts answered 404, 409 or 412, as expected; % of requests
//	throttled        attempts answered that the service is busy; % of requests
//	failed           attempts that failed otherwise; % of requests
//	retries          attempts that sent a request again; % of requests
//	first_throttled  first attempts that were throttled; % of sent
//	counted          entities counted by the documented rule: written or scanned
//	returned         entities that replies held; % of counted
//
// Outcome of the load:
//
//	tries                    requests to an operation, a plain number
//	retries_per_operation    retries to an operation, a plain number
//	offered                  entities due per second
//	served                   entities per second counted for successes
//	throttled_per_second     attempts throttled per second
//	share_lost               lost_operations of scheduled, a share
//	share_lost_settled       the same of the operations due in the last half, a share
//	share_throttled_settled  first attempts throttled of those sent in the last half, a share
//	saturation               entities per second at which the load meets a limit; unknown
//	                         if it meets none, or phases meet different ones
//	length                   how long the phase lasted, a time; several are added up
//
// What a success cost: plain numbers, all attempts of an operation or a phase over its
// operations that succeeded:
//
//	requests_per_success   attempts made
//	counted_per_success    entities counted by the documented rule
//	returned_per_success   entities that replies held
//	billed_per_success     billed transactions without throttled ones
//	throttled_per_success  throttled attempts
//	sent_per_success       bytes of requests on the wire, heads included, where they are weighed
//	received_per_success   bytes of replies on the wire
//	stored_per_success     bytes written, as the service bills them
//
// Partitions that were offered less than half a partition's target, in the whole run:
//
//	fairness            Jain's index over their served shares, 1 if all are equal
//	share_served_cold   the mean served share of their offered load
//
// Offered, served and settled figures cover the operations due in the last half of each phase with a rate, whenever they
// end, because the allowance that idle partitions saved up is spent then, and all of a closed loop; share_lost covers all
// due operations. For one partition, offered and served are those of its busiest second, counted from the beginning of the
// phase, the maximum of several phases: offered counts what each operation on a single partition was due to touch, served
// what was counted while the phase lasted. offered(account) is what the busiest account was offered per second of the
// whole phase, by all operations. They are unknown if partitions that are not distinguished could have been hotter.
//
//	mean_offered mean_served   entities per second of the whole phase, of the partition
//	                           that had most
//
//	partitions   how many PartitionKeys single-partition operations went to; of
//	             several phases the most
//
// Load balancing of a simulated run, in a phase or in all of the run:
//
//	splits moves merges    how many ranges were split, moved and merged
//	offline                the longest time for which one of them was not served, a time
//	throttled_from         from when the load was throttled, and until when, since it
//	relieved_after         began: times, of the whole run
//
// Writes that were verified, of the whole run:
//
//	lost_writes     acknowledged writes that are not there
//	doubled_writes  how many times too often counters were raised
//	unknown_writes  writes that may or may not have been carried out
//	overwritten     entities written last by another client
//	conflicts       replies to writes that another client preceded
//
// Of workflows, in the whole run:
//
//	counter      what an operation's workflow counts under a name: counter(look, both)
//	violations   in how many things that were left behind something does not hold
//	             that must
//
// An unknown figure makes its claim inconclusive: it does not pass.
//
// Facts pass figures in nanoseconds, shares of one, counts, and numbers per second. Parsing never panics.
package figure
