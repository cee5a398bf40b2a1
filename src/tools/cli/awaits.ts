import { type AnswerFate, followAnswer } from '../operator/plan/fateOfAnswer.ts'
import { completeStep, failStep, reopenStep } from '../operator/plan/lookUp.ts'
import { noChange } from '../operator/plan/plan.ts'
import { refusedBySchema } from './answerSchema.ts'
import { optionWord, shellWord } from '../operator/text/commandLine.ts'
import type { Made } from './change.ts'
import { runPlan, withReceipt } from './runPlan.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { positionals, readArgs, readDuration, readJson } from './readArgs.ts'
import { lookupOf } from './tokens.ts'
import { UsageError } from './usageError.ts'

export const awaits: CliCommand = {
  name: 'awaits',
  summary: 'answer an awaited step for the outside system, end its wait, or let it wait again',
  usage: `lineclear awaits complete FLOW/KEY STEP --answer JSON [--id EXTERNAL_ID] [--schema FILE#EXPORT] [--wait TIME] [--request UNIQUEREQUESTID]
lineclear awaits fail FLOW/KEY STEP [--request UNIQUEREQUESTID]
lineclear awaits reopen FLOW/KEY STEP [--id EXTERNAL_ID] [--keep NAME]… [--for TIME] [--request UNIQUEREQUESTID]

  complete   send the answer to the step's queue, as the outside system would. The step's function validates it: the command waits
             until the step has taken it, or the function has refused it, and shows the receipt
             --id        the external id, if the step waits for several, and the answer does not contain it
             --schema    a Standard Schema of your project: what it refuses is not sent
             --wait      how long to wait for the function (default 20s; 0s: not at all)
  fail       end the wait now: the flow continues with onTimeout
  reopen     give up the answer that was taken, and wait again. Only while the handler of that answer is dead, or has not begun
             --id        the external id of that answer, if several were taken
             --keep      an effect or a result of the handler that stays, and is not made again
             --for       how long to wait from now on, at least (default 1d)
  --request  a run other than the one that holds the key

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    switch (verb) {
      case 'complete':
        return complete(rest, io)
      case 'fail':
        return fail(rest, io)
      case 'reopen':
        return reopen(rest, io)
      default:
        throw new UsageError(`awaits: expected complete, fail or reopen; got ${verb ?? 'nothing'}`)
    }
  },
}

const TEXT = { type: 'string' } as const
const WAIT_MS = 20_000
const DAY_MS = 86_400_000

async function complete(args: readonly string[], io: Io): Promise<ExitCode> {
  const options = { request: TEXT, answer: TEXT, id: TEXT, schema: TEXT, wait: TEXT }
  const { values, positionals: given } = readArgs(args, options)
  const [id, step] = positionals(given, ['FLOW/KEY', 'STEP'])
  if (values.answer === undefined) throw new UsageError('expected --answer JSON, got nothing')
  const payload = readJson('--answer', values.answer)
  const wait = readDuration('--wait', values.wait) ?? WAIT_MS
  if (values.schema !== undefined) {
    const because = await refusedBySchema(values.schema, payload)
    const about = { action: 'awaits complete', id, standing: [] } as const
    if (because !== undefined) return runPlan(noChange('impossible', about, because), io)
  }
  const awaited = { id, step, uniqueRequestId: values.request }
  const plan = await completeStep(lookupOf(io), awaited, { payload, externalId: values.id })
  if (plan.kind !== 'change' || wait === 0) return runPlan(plan, io)
  return runPlan(plan, io, async () => {
    const progress = io.progress('waiting for the function of the step')
    try {
      const fate = await followAnswer(io.store(), io.clock, plan.sent, wait, (waited) =>
        progress.at(waited, wait),
      )
      return madeOf(fate, plan.sent.id, id, io)
    } finally {
      progress.end()
    }
  })
}

/** Otherwise `status` would show an answer that is no longer needed. */
const NOT_NEEDED = 'Its dead letter is not needed any more:'

/** What has become of the answer that was sent. */
function madeOf({ kind, why }: AnswerFate, message: string, id: string, { change }: Io): Made {
  const made = { outcome: kind, because: why, ...withReceipt(RECEIPTS[kind], { message }) }
  const discard = `lineclear dlq discard --all ${optionWord('--id', message)}`
  switch (kind) {
    case 'taken':
      return {
        ...made,
        said: `Done: the step has taken the answer. Recorded as done by ${change.by}.`,
      }
    case 'sent': {
      const said =
        'Sent, and not taken yet: the function of the step is busy, paused or failing, or is of an older version. Look again with:'
      return { ...made, said, next: `lineclear explain ${shellWord(id)}` }
    }
    case 'refused': {
      const said = `Refused by the step's function, and dead-lettered; the step still waits: ${why ?? ''} To answer it: run the command again with an answer that is accepted. ${NOT_NEEDED}`
      return { ...made, said, next: discard }
    }
    case 'conflict': {
      const said = `Not accepted: another answer was counted for this external id. This one is dead-lettered as a conflict. ${NOT_NEEDED}`
      return { ...made, said, next: discard }
    }
    case 'late': {
      const said =
        'Not accepted: the step was complete without this answer, or timed out first. It is dropped, or given to onLate.'
      return { ...made, said }
    }
    case 'superseded':
      return { ...made, said: 'Not accepted: the run has ended since. The answer is dropped.' }
  }
}

/** As the outside system would get them. */
const RECEIPTS: Readonly<Partial<Record<AnswerFate['kind'], string>>> = {
  taken: 'accepted',
  conflict: 'conflict',
  late: 'late',
  superseded: 'superseded',
}

async function fail(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, { request: TEXT, answer: TEXT })
  const [id, step] = positionals(given, ['FLOW/KEY', 'STEP'])
  if (values.answer !== undefined)
    throw new UsageError('fail: expected no --answer. To answer the step, use complete')
  return runPlan(await failStep(lookupOf(io), { id, step, uniqueRequestId: values.request }), io)
}

async function reopen(args: readonly string[], io: Io): Promise<ExitCode> {
  const options = {
    request: TEXT,
    id: TEXT,
    for: TEXT,
    keep: { type: 'string', multiple: true },
  } as const
  const { values, positionals: given } = readArgs(args, options)
  const [id, step] = positionals(given, ['FLOW/KEY', 'STEP'])
  const awaited = { id, step, uniqueRequestId: values.request }
  const reopening = {
    externalId: values.id,
    keep: values.keep ?? [],
    wait: readDuration('--for', values.for) ?? DAY_MS,
  }
  return runPlan(await reopenStep({ ...lookupOf(io), reader: io.reader() }, awaited, reopening), io)
}
