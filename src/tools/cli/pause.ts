import { decidePause } from '../operator/pause/decidePause.ts'
import { findMappings } from '../operator/pause/findMappings.ts'
import { listPauses, loadPauses } from '../../sweeper/pause/listPauses.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { endOf, ENDS, SELECTION, selectionOf, withQueueArn } from './pauseOptions.ts'
import { type PauseStep, runPausePlan } from './pausePlan.ts'
import { lambdaOf, pauseJson, pauseLine } from './pauseReport.ts'
import { printJson } from './printJson.ts'
import { UsageError } from './usageError.ts'

export const pause: Command = command({
  words: 'pause',
  summary:
    'stop consumers until a time, by disabling their event source mappings; without options: what is paused',
  about: [
    'Messages stay on their queues, and count no receive and no attempt. Batches that Lambda has received already still run. Only what is enabled now is paused. At the end the sweeper resumes it, if it has the option lambda and the permission; otherwise lineclear sweep --apply, or resume. --force: although it lasts longer than a queue keeps its messages; SQS deletes what is older.',
  ],
  arguments: {},
  options: { ...SELECTION, ...ENDS },
  examples: ['pause --dependency bank --for 2h', 'pause'],
  route: 'pauses',
  changes: 'plan',
  run: async (given, io) => {
    const selection = selectionOf(given)
    if (selection === undefined) return list(io)
    const end = endOf(given, io.clock.now())
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
})

async function list(io: Io): Promise<ExitCode> {
  if (io.change.args.length > 1) {
    throw new UsageError(`expected one of --${Object.keys(SELECTION).join(', --')}; got none`)
  }
  const pauses = await listPauses(io.store())
  if (io.json) printJson(io, { pauses: pauses.map(pauseJson) })
  else if (pauses.length === 0) io.out('Nothing is paused.')
  else for (const each of pauses) io.out(pauseLine(each, io))
  return 0
}
