package verdict

import (
	"loadgen/results"
	"loadgen/results/figure"
)

// sharedTexts are templates that several rules use.
const sharedTexts = `{{define "actions"}}{{things .Splits "split"}}, {{things .Moves "move"}} and {{things .Merges "merge"}}{{end}}` +
	`{{define "action"}}{{if eq .What "move"}}a move{{else if eq .What "merge"}}a merge{{else}}a split at {{key .Decision.Key}}{{end}} of table {{name .Decision.Table}}{{end}}` +
	`{{define "load"}}{{with .Manifest.Spread}}{{if .Clients}}the load of {{count .Clients}} clients on {{else}}a load of {{rate .Rate}} operations/s on {{if ne .Partitions 1}}each of {{end}}{{end}}{{things .Partitions "partition"}}` +
	`{{else}}the load{{if .AccountBinds}} on {{if gt .Manifest.Accounts 1}}{{.Manifest.Accounts}} accounts{{else}}the account{{end}}{{else if .Aimed}} on PartitionKey {{key .Manifest.PartitionKey}}{{end}}{{end}}{{end}}` +
	`{{define "searched"}}{{if .OfAccount}}the account, with its load on {{count .Partitions}} partitions,{{else}}the partition{{with .PartitionKey}} {{key .}}{{end}}{{end}}{{end}}` +
	`{{define "held"}}{{rate .Held}} operations/s{{with .HeldEntities}} ({{rate .}} entities/s){{end}}{{end}}` +
	`{{define "reason"}}{{if eq .Outcome "throttled"}}{{cut .ThrottledShare}} of the first attempts were throttled, with {{cut .MaxThrottled}} allowed` +
	`{{else if eq .Outcome "failed"}}{{cut .FailedShare}} of the first attempts failed for other reasons than load` +
	`{{else if eq .Outcome "queueing"}}the target queues, with {{count .QueueGrowth}} more operations waiting at the end of the step` +
	`{{else if and (eq .Outcome "p99") .P99 .MaxP99}}the response p99 was {{micros .P99}}, with {{micros .MaxP99}} allowed` +
	`{{else if eq .Outcome "p99"}}too few operations succeeded for a p99` +
	`{{else if eq .Outcome "client-limited"}}the generator was the limit{{else}}its step is not in the record{{end}}{{end}}`

// headlines are the claims, of which the first that applies is taken: words ¦ number ¦ unit ¦ words.
var headlines = []rule{
	claim(when((*evidence).unjudged), `¦`),
	claim(when((*evidence).losesWrites), `:¦{{count .LostWrites}}¦writes lost or doubled`),
	claim(one((*evidence).violated), `:¦{{count .Faults}}¦violation{{if ne .Faults 1}}s{{end}}`),
	claim(when((*evidence).searches, (*evidence).foundRate),
		`{{if eq .State "cannot tell"}} beyond{{else if not .Limit.NotHeld}} at least{{end}}¦{{rate .Limit.Held}}¦operations/s`),
	claim(when((*evidence).searches, in(results.DoesNotHold)), ` even¦{{rate .Limit.NotHeld}}¦operations/s`),
	claim(when((*evidence).searches), `¦`),
	claim(when((*evidence).asksPeak), `{{if eq .State "cannot tell"}} whether it holds{{end}}¦{{rate .Manifest.PeakAsked}}¦operations/s`),
	claim(one(firstProblem(results.ProblemPartition)), `{{if .Saturates}}: {{if .Partition.Limited}}{{.Partition.Limited}} {{else}}one partition {{end}}saturates at¦{{rate .Partition.Saturation}}`+
		`{{else}}: one partition is asked for¦{{count .Peak}}{{end}}¦entities/s`),
	claim(one(firstProblem(results.ProblemQuery)), `: one query scans¦{{share .Share}}¦of all entities`),
	claim(one(firstProblem(results.ProblemKeyOrder)), `: new PartitionKeys of {{name .Table}} {{if .Keys.Descends}}descend{{else}}ascend{{end}}`),
	claim(one(firstProblem(results.ProblemRetries)), `: retries follow after¦{{micros .Wait}}`),
	claim(one(firstProblem(results.ProblemFailures)), `:¦{{share .Share}}¦of the requests fail`),
	claim(one(firstProblem(results.ProblemAccount)), `: the account throttles¦{{share .Share}}¦of the requests`),
	claim(when((*evidence).onlyChecks), `¦`),
	claim(when(in(results.Saturates)), `{{with .Saturated}}{{if .Kinds}}: {{list .Kinds}}{{end}}{{end}} at¦{{rate .SaturatesAt}}¦entities/s`),
	claim(when(in(results.DoesNotHold), (*evidence).recovers), ` for the first¦{{minutes .Recovery.Until}}¦({{lost .Recovery.Lost}} lost),¦holds from then on`),
	claim(one(balanced(results.LoadHeld)), ` this load`),
	claim(one((*evidence).balancing), `:¦¦load balancing does not relieve it`),
	claim(when(in(results.CannotTell, results.Sound)), `¦`),
	claim(when(in(results.Holds), (*evidence).isSteady), `¦{{rate .Top.Phase.Rate}}¦operations/s`),
	claim(when(in(results.DoesNotHold), (*evidence).failsSteadily), `¦{{rate .WorstPhase.Offered}}¦entities/s`),
	claim(when((*evidence).always), ` this load`),

	beside(one((*evidence).violated), `{{count .Looked}} cases checked`),
	beside(when((*evidence).searches, (*evidence).foundRate), `{{with .Limit.NotHeld}}and not {{rate .}}{{end}}`),
	beside(when((*evidence).comparesTarget), `target {{if .ComparesAccount}}{{count .Manifest.Targets.Account}}/s an account`+
		`{{else}}{{count .Manifest.Targets.Partition}}/s{{if not .Aimed}} a partition{{end}}{{end}}`),
	beside(when(in(results.Holds), (*evidence).hasNoTarget), `no limit is known`),
	beside(when((*evidence).showsInterval), `seconds {{rate (index .Summary.SaturationInterval 0)}}–{{rate (index .Summary.SaturationInterval 1)}}`),
	beside(when((*evidence).asksPeak), `{{with .Summary.Saturation}}saturates at {{rate .}} entities/s{{end}}`),
	beside(when(in(results.DoesNotHold), (*evidence).failsSteadily), `{{with .WorstPhase.Served}}{{rate .}}/s served{{end}}`),
	beside(when((*evidence).failsPhase), `{{with .WorstPhase.ShareLost}}{{share .}} lost{{end}}`),
}

// leads decide the answer, the most important first.
var leads = []rule{
	example(one((*evidence).shown), `{{.Shows}}`),
	example(one((*evidence).failingExample), `--anti-pattern fails {{list .Fails}}: {{.Wrong}}`),
	example(when((*evidence).isAntiPattern), `The anti-pattern of {{.Manifest.Scenario.Name}}: {{.Manifest.AntiPattern}}`),
	example(one((*evidence).explained), `Why it fails: {{.Why}}`),
	example(one((*evidence).brokenPromise), `PROMISED to fail, and holds: {{list .Broken}}.`),

	lead(one((*evidence).killed), `{{if .Unreadable}}The record cannot be read to its end: {{things .Seconds "whole second"}} are known.`+
		`{{else if .Seconds}}This run was killed after {{count .Seconds}} s, or is still running: only its whole seconds are known.`+
		`{{else}}This run was killed in its first second, or is still running: nothing was recorded.{{end}}`),
	lead(one((*evidence).killedPhase), `In {{name .Name}} it served {{rate .Served}} entities/s over {{things .Seconds "whole second"}}.`),
	lead(one((*evidence).killed), `{{if .Tables}}At {{name .Target}} it may have left {{.Leftovers}}.{{end}}`),
	lead(one((*evidence).worth), `This run is {{.Validity}}{{if .Reasons}}: {{.Because}}{{end}}{{if .More}}; and {{count .More}} more{{end}}.`),
	lead(when((*evidence).unsoundAudit), `{{if .Audit.Kept}}The client overwrote {{count .Audit.Lost}} of {{count .Audit.Acknowledged}} acknowledged writes without a condition (If-Match: *).`+
		`{{else}}The table lost data: {{count .MissingWrites}} of {{count .Audit.Acknowledged}} acknowledged writes are missing, and counters were raised {{count .Audit.Doubled}} times too often.{{end}}`),
	lead(one((*evidence).decidingCheck), `{{.Result}}: {{.Expr}}; observed: {{.Said}}`),
	lead(each((*evidence).violations), `Violated in {{count .Faults}} of {{count .Looked}} cases: {{.Name}}.`),
	lead(each((*evidence).keptInvariants), `{{.}}.`),
	lead(one((*evidence).unknownPhase), `{{name .Name}}: {{.Why}}.`),
	lead(one((*evidence).unknownTraffic), `It is unknown whether {{with .Key}}the hottest PartitionKey, {{key .}}, sustains this traffic{{else}}this traffic is sound{{end}}: {{.Why}}.`),
	lead(one((*evidence).saturated), `{{if .Free}}{{list .Free}} {{if eq (len .Free) 1}}is{{else}}are{{end}} not limited.{{end}}`),
	lead(one((*evidence).saturated), `{{if .Queues}}The target queues requests instead of refusing them: the response time grows by {{round .Slowing 2}} s every second.{{end}}`),
	lead(one((*evidence).saturated), `{{if .Allowance}}An allowance of about {{round .Allowance 1}} entities was spent first.{{end}}`),
	lead(one((*evidence).saturated), `{{if .Varies}}The limit varies from second to second between {{rate .Low}} and {{rate .High}}/s.{{end}}`),
	lead(when((*evidence).names, (*evidence).AccountBinds), `{{if gt .Manifest.Accounts 1}}The load is spread over {{count .Manifest.Accounts}} accounts.{{end}}`),
	lead(when((*evidence).names, not((*evidence).AccountBinds), (*evidence).Aimed), `PartitionKey {{key .Manifest.PartitionKey}}.`),
	lead(when((*evidence).names, not((*evidence).AccountBinds), not((*evidence).Aimed)),
		`{{with .Summary.Hottest}}The busiest PartitionKey, {{key .Key}}, counted {{if .AtLeast}}at least {{end}}{{rate .EntitiesPerSecond}} entities in one second.{{end}}`),
	lead(one((*evidence).failures), `{{share .Share}} of the attempts failed{{with .Names}} ({{.}}){{end}}.`),
	lead(one((*evidence).injected), `{{if .Share}}{{share .Share}} of the attempts met an injected fault ({{.Names}}).{{else}}Faults are configured, but no attempt met one.{{end}}`),
}

// burstRules are about throttling that depends on partition_burst.
var burstRules = []rule{
	lead(one((*evidence).allowance), `In {{name .Phase}} {{share .Share}} of the attempts are throttled in seconds that ask a partition for at most {{rate .Asked}} of {{count .Target}} entities/s. `+
		`This rests on the assumption partition_burst {{.Burst}}; {{if .Spared}}with an allowance of one second nothing is throttled{{else}}--set model.partition_burst=1s shows the other reading{{end}}.`),
}

// loadRules are about the load: what is lost or served, and the remedy.
var loadRules = []rule{
	lead(one((*evidence).loss), `{{if .In}}{{name .In}}: {{end}}{{if .Top.Phase.Varying}}in its busiest second {{rate .Offered}}/s are offered, and of all {{lost .Lost}} is lost`+
		`{{else}}at {{rate .Offered}}/s{{if .Late}}, sent late in part,{{end}} {{lost .Lost}} is lost{{end}}`+
		`{{if .Account}}: no key raises the limit of an account; shard over several accounts{{else if .Partitions}}: spread this key over at least {{count .Partitions}} partitions{{end}}.`),
	lead(one((*evidence).loss), `{{if .Shared}}Whether other partitions share this limit was not measured: load two keys before you spread one.{{end}}`),
	lead(one((*evidence).peak), `{{if not .Holds}}{{if .Fails}}At the peak: {{end}}{{.Said}}.{{end}}`),
	lead(one((*evidence).peak), `{{if .Headroom}}Its headroom factor is {{if .AtLeast}}at least {{end}}{{factor .Headroom}}.{{end}}`),
	lead(each(throttled(figure.Moving)), `{{if .In}}{{name .In}}: {{end}}{{share .Share}} of the attempts were throttled at no fixed limit{{if .High}}: single seconds served {{rate .Low}} to {{rate .High}} entities/s{{end}}.`),
	lead(each(throttled(figure.Sporadic)), `{{if .In}}{{name .In}}: {{end}}{{share .Share}} of the attempts were refused at every rate: sporadic errors, not a limit.`),
	lead(each(throttled(figure.Brief)), `{{if .In}}{{name .In}}: {{end}}throttled in {{things .Seconds "second"}} ({{.From}}–{{.To}}): `+
		`{{if .Short}}too few to show a limit{{else}}other seconds sustain the same load, so no limit shows{{end}}.`),
	lead(each(throttled(figure.Outage)), `{{if .In}}{{name .In}}: {{end}}nothing was served while throttled (seconds {{.From}}–{{.To}}): an outage, not a limit.`),
	lead(each(throttled(figure.Carried)), `{{if .In}}{{name .In}}: {{end}}{{share .Share}} of the attempts were throttled, and retries saved all but 1 % of the operations: the load is near its limit, or bursts are throttled.`),
	lead(each(throttled(figure.Bursts)), `{{if .In}}{{name .In}}: {{end}}{{share .Share}} of the attempts were throttled, in bursts of a second. Each spends a saved allowance and shows no limit; bursts of 2 s would.`),
	lead(each(throttled(figure.Undecided)), `{{if .In}}{{name .In}}: {{end}}{{share .Share}} of the attempts were throttled, at a single rate. A second rate{{with .NextRate}}, such as {{rate .}} operations/s,{{end}} would distinguish a limit from sporadic errors.`),
	lead(one((*evidence).sustained), `{{rate .Offered}} entities/s offered, {{rate .Served}}/s served, {{lost .ShareLost}} of the operations lost; no higher rate was tried.`),
	lead(one((*evidence).sustained), `{{if .Short}}A step this short shows little: use at least 2 s.{{end}}`),
	lead(each((*evidence).closedLoops), `Clients that wait for each reply were served {{rate .Served}} entities/s, with {{share .Throttled}} of the attempts throttled. They offer only what is answered, so this is no limit.`),
	lead(when((*evidence).countsNothing), `{{with .Reported}}{{count .Succeeded}} of {{count .Operations}} operations succeeded, but the load counts no entities: partitions cannot be judged.{{end}}`),

	lead(one(balanced(results.LoadHeld)), `{{template "load" .}} is sustained {{if .Warmup.Throttled}}while measured (before that {{count .Warmup.Throttled}} of {{count .Warmup.Attempts}} attempts were throttled){{else}}from the start{{end}}: `+
		`{{rate .EndServed}} entities/s served of {{rate .EndOffered}} operations/s, {{share .AllThrottled}} of the attempts throttled.`),
	lead(one(balanced(results.LoadRelieved, results.LoadThrottled)), `{{template "load" .}} is throttled {{if gt .ThrottledFrom 0.0}}after {{minutes .ThrottledFrom}}{{else}}from the start{{end}}: `+
		`{{rate .FirstServed}} entities/s served of {{rate .FirstOffered}} operations/s at first, {{share .FirstThrottled}} of the attempts throttled.`),
	lead(one(balanced(results.LoadRelieved)), `Load balancing relieves it after {{minutes .RelievedAt}} with {{template "actions" .}}, into {{things .Ranges "range"}}: then {{rate .EndServed}} entities/s are served of {{rate .EndOffered}} operations/s.`),
	lead(one(balanced(results.LoadRelieved)), `These PartitionKeys sustain the load once the table is split, but not in the first {{minutes .RelievedAt}} of a new table: ramp up over that time, or retry with long waits.`),
	lead(one(balanced(results.LoadHeld, results.LoadThrottled)), `{{if .Cold}}Load balancing {{if .Acted}}made {{template "actions" .}}{{else}}changed nothing{{end}}.{{end}}`),
	lead(one((*evidence).stuck), `{{if .Gains}}At first {{rate .FirstServed}}, in the end {{rate .EndServed}} entities/s are served.{{end}}`),
	lead(one((*evidence).stuck), `It is throttled to the end: {{rate .EndServed}} entities/s served of {{rate .EndOffered}} operations/s`+
		`{{if .Keys}}; still throttled: {{range $i, $k := .Keys}}{{if $i}}, {{end}}{{key $k.Name}} ({{share $k.Share}}){{end}}{{if .More}} and {{count .More}} more{{end}}{{end}}.`),
	lead(one((*evidence).stuck), `{{if .Over}}{{key .Over}} alone{{if .Others}}, like {{count .Others}} more,{{end}} needs more than the {{count .Manifest.Targets.Partition}}/s of one partition, and a PartitionKey is never split: use more keys.`+
		`{{else if .Kept}}Load balancing left it so: {{name .Kept}}.`+
		`{{else if .Full}}All partitions together reach the limit of {{if gt .Manifest.Accounts 1}}the {{count .Manifest.Accounts}} accounts{{else}}the account{{end}}, which no split raises.`+
		`{{else}}The load ended before load balancing finished.{{end}}`),

	lead(one((*evidence).found), `{{if not .Steps}}No rate was tried to the end of its step.`+
		`{{else if and (not .Held) .ClientLimited}}The generator could send no rate that was tried.`+
		`{{else if and (not .Held) (not .NotHeld)}}No rate was judged.`+
		`{{else if not .Held}}{{template "searched" .}} does not sustain {{rate .NotHeld}} operations/s: {{template "reason" .Failed}}.`+
		`{{else if .ClientLimited}}{{template "searched" .}} sustains at least {{template "held" .}}; at {{rate .NotHeld}} operations/s the generator was the limit.`+
		`{{else if not .NotHeld}}{{template "searched" .}} sustains at least {{template "held" .}}, the highest rate that was tried.`+
		`{{else}}{{template "searched" .}} sustains {{template "held" .}}, but not {{rate .NotHeld}}/s: {{template "reason" .Failed}}.{{end}}`),
	lead(one((*evidence).found), `{{if .Unfinished}}{{if .Partial}}The search ended early.{{else}}The search stopped because steps contradicted each other.{{end}}{{end}}`),
	lead(one((*evidence).found), `{{if .Sporadic}}{{share .Sporadic}} of the first attempts were refused at every rate: sporadic errors, which fail no rate.{{end}}`),

	lead(each((*evidence).problems), `{{if .Partition}}{{share .Share}} of the entities are counted at PartitionKey {{key .PartitionKey}} of table {{name .Table}}, `+
		`{{if .Saturates}}which throttles {{share .Throttled}} of its attempts at {{rate .Partition.Saturation}} entities/s{{else}}which is asked for {{count .Peak}} entities in its busiest second{{end}}`+
		`{{if .Partition.Limited}}: {{.Partition.Limited}} is limited, {{.Partition.Free}} is not{{else if .Partitions}}: spread it over at least {{count .Partitions}} partitions{{end}}.`+
		`{{else if .Query}}{{share .Share}} of the entities are counted by the query {{if .Shape}}{{key .Shape}}{{else}}without a filter{{end}} on table {{name .Table}}{{with .Query.Class}} ({{name .}}){{end}}: `+
		`it scans {{count .Query.Scanned}} and returns {{count .Query.Returned}}{{if .Query.Returned}}, {{rate .PerReturned}} for each{{end}}.`+
		`{{else if .Order}}{{with .Keys}}New PartitionKeys of table {{name .Table}} come in {{if .Descends}}descending{{else}}ascending{{end}} order ({{count .InOrder}} of {{count .Keys}}): `+
		`one server gets them all, however many keys there are.{{end}}`+
		`{{else if .Wait}}{{share .Share}} of the requests are retries, half of them sent within {{micros .Wait}}: wait longer each time (exponential back-off).`+
		`{{else if .Failure}}{{share .Share}} of the requests failed for other reasons than load ({{.Failure.Names}}).`+
		`{{else}}The account throttled {{share .Share}} of the requests: shard over several accounts.{{end}}`),
	lead(one((*evidence).soundTraffic), `The busiest second of the hottest PartitionKey, {{key .PartitionKey}}, asked for {{count .Peak}} entities: {{share .Used}} of {{count .Target}}/s.`),
	lead(each((*evidence).throttledTogether), `{{things . "partition"}} were throttled in the same seconds: they may share a limit, and more partitions may not help.`),
	lead(one((*evidence).course), `Load balancing {{if .Acted}}made {{template "actions" .}}{{if .Before}}: {{share .Before}} of the attempts were throttled before{{if .After}}, {{share .After}} after{{end}}{{end}}`+
		`{{else}}did nothing: a range must be overloaded for the model's detection time before it acts{{end}}.`),

	lead(one((*evidence).verifiedAudit), `{{if lt .ReadBack .Keys}}{{count .Unread}} of {{count .Keys}} written entities were not read back: their writes are not verified.`+
		`{{else if eq .Keys 0}}There was no acknowledged write to read back.{{else}}All {{count .Acknowledged}} acknowledged writes were found again, in {{count .ReadBack}} entities.{{end}}`),
	lead(one((*evidence).remedy), `{{if .Line}}Use more or larger client machines, or fewer bytes: {{.Line}}.`+
		`{{else if .Workers}}Raise --workers: {{.Limited}}.{{else if .Limited}}Free the machine of other work, or offer less: {{.Limited}}.`+
		`{{else if .NoLoad}}No step of load was reported.{{else if .Short}}Use steps of at least 2 s.{{else if .StopOn}}Offer less, or raise the limits of stop_on.`+
		`{{else if .AtTarget}}Check the target first.{{else if .Invalid}}Its figures prove nothing: fix the cause and run it again.{{else}}Run it again, to its end.{{end}}`),
}

// findings are what else stands out of a run.
var findings = []rule{
	finding(one((*evidence).rival), `With profile {{name .Profile}} the verdict {{if .Survives}}stays{{else}}changes{{end}}: the same load `+
		`{{if .Balanced}}is {{if eq .Outcome "held"}}sustained from the start{{else if .RelievedAt}}throttled, and relieved after {{minutes .RelievedAt}}{{else}}throttled to the end{{end}}`+
		`{{else if .Saturation}}saturates at {{rate .Saturation}} entities/s{{else}}does not saturate{{end}}.`),
	finding(one((*evidence).balancing), `{{share .SucceededShare}} of {{count .Operations}} operations succeeded; {{share .AllThrottled}} of the attempts were throttled.`),
	finding(each((*evidence).actions), `{{template "action" .}} after {{minutes .After}} of load: {{name .Decision.Reason}}{{with .Decision.Overloaded}} for {{span .}}{{end}}.`),
	finding(one((*evidence).moves), `A moved range was offline for {{micros .Mean}} on average and {{micros .Longest}} at most: its requests were throttled or delayed.`),
	finding(each((*evidence).kept), `After {{minutes .After}} of load the range from {{key .Decision.Key}} was overloaded and left as it was: {{name .Decision.Reason}}.`),
	finding(each((*evidence).moreEvents), `{{count .}} more actions of load balancing are in events.ndjson.`),
	finding(one((*evidence).clientStep), `At {{rate .Rate}} operations/s the generator was the limit; the answer does not rest on that step.`),
	finding(one((*evidence).knee), `{{if .Only}}At {{rate .At}} operations/s{{else if .Below}}Throttling begins between {{rate .Below}} and {{rate .At}} operations/s, where{{else}}At the first step, {{rate .At}} operations/s,{{end}} {{share .Share}} of the attempts are throttled.`),
	finding(one((*evidence).retries), `Retries add {{factor .PerOperation}} attempts to each operation at {{rate .Rate}} operations/s.`),
	finding(one((*evidence).waiting), `At {{rate .Rate}} operations/s half of the successes{{if .Partly}} of single-request operations{{end}} take more than {{micros .Response}}, of which the successful attempt takes {{micros .Service}}; the rest is waiting.`),
	finding(one((*evidence).held), `The client's rate limits delayed {{range $i, $k := .Kinds}}{{if $i}}, {{end}}{{count $k.Attempts}} of {{name $k.Name}} ({{$k.Limit}}){{end}}{{with .Longest}} by up to {{micros .}}{{end}}; response times include that wait.`),
	finding(one((*evidence).searchCost), `The search took {{things (len .Steps) "step"}} of at least {{duration .StepSeconds}} and counted {{count .Entities}} entities.`),
	finding(one((*evidence).unsuccessful), `{{count .Failed}} of {{count .All}} operations failed {{if .Once}}and were not retried{{else}}after their last attempt{{end}}{{with .After}}, half of them after more than {{micros .}}{{end}}`+
		`{{if .Cut}}; {{count .Cut}} still waited for a retry{{if .Limited}} or a rate limit{{end}} when the run ended{{end}}.`),
	finding(one((*evidence).lateness), `{{share .Share}} of the operations were sent more than {{.Millis}} ms late{{if .Target}} because {{.Target}}{{else}} by the generator{{end}}; response times include that delay.`),
	finding(one((*evidence).hottest), `The busiest partition was {{key .Key}}, with {{count .Busiest}} entities in its busiest second and {{rate .Mean}}/s over its step{{if .Over}}; {{count .Over}} entities were in partitions that are not counted separately{{end}}.`),
	finding(one((*evidence).busiestAccount), `Account {{.Number}} of {{.Accounts}} was the busiest: {{rate .Offered}} entities/s offered over its step, {{rate .Served}}/s served{{if .Target}}, target {{count .Target}}/s each{{end}}.`),
	finding(when((*evidence).AccountBinds), `The account's limit is below that of one partition: this says nothing about the PartitionKey.`),
	finding(each((*evidence).ownTargets), `The target {{count .Target}}/s is {{.Whose}}, not Azure's documented {{count .Documented}}/s.`),
	finding(each((*evidence).clippedTimes), `{{things . "operation"}} took longer than an hour, shown as > 1 h.`),
	finding(one((*evidence).audited), `{{if .Own}}{{count .Own}} retries met their own success after a lost reply: {{count .Own409}} inserts (409), {{count .Own412}} conditional writes (412), {{count .Own404}} deletions (404).{{end}}`),
	finding(one((*evidence).audited), `{{if .ForeignConflicts}}{{count .ForeignConflicts}} writes conflicted with earlier writes of other clients.{{end}}`),
	finding(one((*evidence).audited), `{{if .BlindBeside}}The client itself overwrote {{count .BlindBeside}} more acknowledged writes without a condition (If-Match: *).{{end}}`),
	finding(one((*evidence).audited), `{{if .Unknown}}It is unknown whether {{count .Unknown}} writes were carried out: their last attempt had no reply.{{end}}`),
	finding(one((*evidence).audited), `{{if .Overwritten}}{{count .Overwritten}} entities were last written by another client, so they do not show the writes of this run.{{end}}`),
	finding(each((*evidence).unchecked), `Not checked, because the run left nothing to check: {{.Name}}.`),
}

// trafficFindings are what else stands out of captured traffic.
var trafficFindings = []rule{
	finding(one((*evidence).largest), `{{share .Share}} of {{count .Count}} entities were counted at PartitionKey {{key .Name}}, more than at any other.`),
	finding(one((*evidence).others), `Other partitions throttled 1 % or more of their attempts: {{range $i, $p := .Partitions}}{{if $i}}, {{end}}{{key $p.Name}} ({{share $p.Share}}){{end}}{{if .More}} and {{count .More}} more{{end}}.`),
	finding(each((*evidence).sparseQueries), `The query {{if .Shape}}{{key .Shape}}{{else}}without a filter{{end}} on table {{name .Table}}{{with .Class}} ({{name .}}){{end}} scanned {{count .Scanned}} entities and returned {{count .Returned}}, in {{things .Requests "page"}}.`),
	finding(each((*evidence).orderedPartitions), `New PartitionKeys of table {{name .Table}} come in {{if .Descends}}descending{{else}}ascending{{end}} order ({{count .InOrder}} of {{count .Keys}}): they all go to the server of its {{if .Descends}}first{{else}}last{{end}} range.`),
	finding(each((*evidence).orderedRows), `RowKeys of table {{name .Table}} come in {{if .Descends}}descending{{else}}ascending{{end}} order within their partitions ({{count .InOrder}} of {{count .Keys}}), which costs nothing.`),
	finding(one((*evidence).resent), `Retries added {{factor .PerOperation}} attempts to each operation: {{count .Attempts}} requests for {{count .Operations}} operations.`),
	finding(one((*evidence).failedAnswers), `{{count .Failed}} of {{count .All}} requests failed for other reasons than load, most with {{name .Commonest}}{{if .Tableless}}; {{count .Tableless}} named no table{{end}}.`),
	finding(one((*evidence).bounded), `{{if and .Unnamed .Throttled}}{{count .Unnamed}} of {{count .Requests}} requests had no x-ms-client-request-id: a retry among them counts as an operation.`+
		`{{else if .Forgotten}}{{count .Forgotten}} pending operations were dropped for lack of room: a later retry of them counts as an operation.{{end}}`),
	finding(one((*evidence).bounded), `{{if or .PartitionsDropped .ShapesDropped}}The lists are bounded: {{count .PartitionsDropped}} times a partition was dropped for another, {{count .ShapesDropped}} times a query.{{end}}`),
	finding(one((*evidence).bounded), `{{if .Delayed}}{{count .Delayed}} requests became known late and count in a later second.{{end}}`),
}
