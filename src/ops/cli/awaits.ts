import { completeStep, failStep } from '../operator/plan/lookUp.ts'
import { runPlan } from './runPlan.ts'
import type { CliCommand } from './command.ts'
import { positionals, readArgs, readJson } from './readArgs.ts'
import { lookupOf } from './tokens.ts'
import { UsageError } from './usageError.ts'

export const awaits: CliCommand = {
  name: 'awaits',
  summary: 'answer an awaited step for the outside system, or end its wait',
  usage: `lineclear awaits complete FLOW/KEY STEP --answer JSON [--id EXTERNAL_ID] [--request UNIQUEREQUESTID]
lineclear awaits fail FLOW/KEY STEP [--request UNIQUEREQUESTID]

  complete   send the answer to the step's queue, as the outside system would, and show the receipt
             --id        the external id, if the answer does not contain it
  fail       end the wait now: the flow continues with onTimeout
  --request  a run other than the one that holds the key

  Shows the plan; --apply PLAN makes the change.`,
  run: async ([verb, ...rest], io) => {
    if (verb !== 'complete' && verb !== 'fail') {
      throw new UsageError(`awaits: expected complete or fail; got ${verb ?? 'nothing'}`)
    }
    const { values, positionals: given } = readArgs(rest, OPTIONS)
    const [id, step] = positionals(given, ['FLOW/KEY', 'STEP'])
    const awaited = { id, step, uniqueRequestId: values.request }
    if (verb === 'fail') {
      if (values.answer !== undefined)
        throw new UsageError('fail: expected no --answer. To answer the step, use complete')
      return runPlan(await failStep(lookupOf(io), awaited), io)
    }
    if (values.answer === undefined) throw new UsageError('expected --answer JSON, got nothing')
    const answer = { payload: readJson('--answer', values.answer), externalId: values.id }
    return runPlan(await completeStep(lookupOf(io), awaited, answer), io)
  },
}

const TEXT = { type: 'string' } as const
const OPTIONS = { request: TEXT, answer: TEXT, id: TEXT }
