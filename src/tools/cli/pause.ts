import { decidePause } from '../operator/pause/decidePause.ts'
import { findMappings } from '../operator/pause/findMappings.ts'
import { listPauses, loadPauses } from '../../sweeper/pause/listPauses.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { readEnd } from './pauseEnd.ts'
import { type PauseStep, runPausePlan } from './pausePlan.ts'
import { lambdaOf, pauseJson, pauseLine } from './pauseReport.ts'
import { readSelection, SELECTION, withQueueArn } from './pauseSelection.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { UsageError } from './usageError.ts'

export const pause: CliCommand = {
  name: 'pause',
  summary:
    'stop consumers by disabling their event source mappings, until a time; list what is paused',
  usage: `lineclear pause SELECTION (--for AGE | --until TIME | --no-end)
lineclear pause

  Messages stay on their queues, and count no receive and no attempt. Batches that Lambda has received already still run. Without
  a selection it lists what is paused.

  --mapping UUID      one event source mapping
  --queue QUEUE       the mappings of a queue: its name, URL or ARN
  --function NAME     the mappings of a function: its name or ARN
  --consumer NAME     of the function with the tag lineclear:consumer; a stage is FLOW.STAGE, by lineclear:flow and lineclear:stage
  --flow NAME         of the functions with the tag lineclear:flow: all stages
  --dependency NAME   of the functions with the tag lineclear:dependency, which names one or more, separated by spaces

  --for AGE           it ends this long after it was applied: 30m, 2h
  --until TIME        it ends then: ISO 8601, such as 2026-01-31T12:00Z
  --no-end            only lineclear resume ends it
  --force             although it lasts longer than a queue keeps its messages: SQS deletes what is older

  At the end the sweeper resumes it, if it has the option lambda and the permission; otherwise lineclear sweep --apply, or resume.
  Only what is enabled now is paused. Shows the plan; --apply PLAN makes the change.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      ...SELECTION,
      for: { type: 'string' },
      until: { type: 'string' },
      'no-end': { type: 'boolean' },
    })
    positionals(given, [])
    const selection = readSelection(values)
    if (selection === undefined) return list(args, io)
    const end = readEnd(values, io.clock.now())
    const lambda = await lambdaOf(io)
    const found = await findMappings(lambda, await withQueueArn(selection, io))
    const seen = await loadPauses(
      io.store(),
      found.map(({ mapping }) => mapping),
    )
    const steps = found.map((mapping, at): PauseStep => {
      const before = seen[at]?.pause
      return { mapping, before, lastId: seen[at]?.lastId, verdict: decidePause(mapping, before) }
    })
    const id = `${selection.by} ${selection.value}`
    return runPausePlan(steps, { id, end }, lambda, io)
  },
}

async function list(args: readonly string[], io: Io): Promise<ExitCode> {
  if (args.length > 0) {
    throw new UsageError(`expected one of --${Object.keys(SELECTION).join(', --')}; got none`)
  }
  const pauses = await listPauses(io.store())
  const now = io.clock.now()
  if (io.json) printJson(io, { pauses: pauses.map(pauseJson) })
  else if (pauses.length === 0) io.out('Nothing is paused.')
  else for (const each of pauses) io.out(pauseLine(each, now))
  return 0
}
