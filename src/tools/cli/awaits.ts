import { duration, id, json, kind, name } from '../commands/kinds.ts'
import { type AnswerFate, followAnswer } from '../operator/plan/planAwaits.ts'
import { completeStep, failStep, reopenStep } from '../operator/plan/lookUp.ts'
import { noChange } from '../operator/plan/plan.ts'
import { loadSchema } from './loadSchema.ts'
import { optionWord, shellWord } from '../operator/text/commandLine.ts'
import type { Made } from './change.ts'
import { runPlan, withReceipt } from './runPlan.ts'
import { type Command, command, type Io } from './command.ts'
import { lookupOf } from './tokens.ts'

const STEP = {
  id: { kind: id, word: 'FLOW/KEY', help: 'the flow and its key', page: true },
  step: { kind: name, word: 'STEP', help: 'the awaited step', page: true },
} as const
const REQUEST = {
  request: { kind: id, word: 'UNIQUEREQUESTID', help: 'another run of the key', page: true },
} as const

export const awaits: readonly Command[] = [
  command({
    words: 'awaits complete',
    summary: 'answer an awaited step for the outside system',
    about: [
      "Sends the answer to the step's queue, as the outside system would. The step's function validates it: the command waits until the",
      'step has taken it, or the function has refused it, and shows the receipt.',
    ],
    arguments: STEP,
    options: {
      answer: { kind: json, help: 'the answer', required: true, page: true },
      externalId: {
        kind: id,
        help: 'the external id, if the step waits for several, and the answer does not contain it',
        page: true,
      },
      schema: {
        kind: kind('FILE#EXPORT', (text) => text),
        help: 'a Standard Schema of yours: what it refuses is not sent',
      },
      wait: {
        kind: duration,
        help: 'for the function; 0s: not at all',
        default: '20s',
        page: true,
      },
      ...REQUEST,
    },
    examples: [`awaits complete checkout/cart-5 payment --answer '{"paid":true}'`],
    changes: 'plan',
    run: async ({ id: flow, step, answer: payload, externalId, schema, wait, request }, io) => {
      if (schema !== undefined) {
        const because = await (await loadSchema(schema))(JSON.stringify(payload))
        const about = { action: 'awaits complete', id: flow, standing: [] } as const
        if (because !== undefined) return runPlan(noChange('impossible', about, because), io)
      }
      const awaited = { id: flow, step, uniqueRequestId: request }
      const plan = await completeStep(lookupOf(io), awaited, { payload, externalId })
      if (plan.kind !== 'change' || wait === 0) return runPlan(plan, io)
      return runPlan(plan, io, async () => {
        const progress = io.progress('waiting for the function of the step')
        try {
          const fate = await followAnswer(io.store(), io.clock, plan.sent, wait, (waited) =>
            progress.at(waited, wait),
          )
          return madeOf(fate, plan.sent.id, flow, io)
        } finally {
          progress.end()
        }
      })
    },
  }),
  command({
    words: 'awaits fail',
    summary: 'end the wait of a step now: the flow continues with onTimeout',
    arguments: STEP,
    options: REQUEST,
    examples: ['awaits fail checkout/cart-5 payment'],
    changes: 'plan',
    run: async ({ id: flow, step, request }, io) =>
      runPlan(await failStep(lookupOf(io), { id: flow, step, uniqueRequestId: request }), io),
  }),
  command({
    words: 'awaits reopen',
    summary: 'give up an answer whose handler has died or not begun, and wait again',
    arguments: STEP,
    options: {
      externalId: { kind: id, help: 'of that answer, if several were taken', page: true },
      keep: {
        kind: name,
        help: 'an effect or a result of the handler that stays, and is not made again',
        many: true,
        page: true,
      },
      for: { kind: duration, help: 'how long to wait from now on', default: '1d', page: true },
      ...REQUEST,
    },
    examples: ['awaits reopen checkout/cart-5 payment --keep receipt'],
    changes: 'plan',
    run: async ({ id: flow, step, externalId, keep, for: wait, request }, io) => {
      const awaited = { id: flow, step, uniqueRequestId: request }
      const reopening = { externalId, keep, wait }
      const lookup = { ...lookupOf(io), reader: io.reader() }
      return runPlan(await reopenStep(lookup, awaited, reopening), io)
    },
  }),
]

/** Otherwise `status` would show an answer that is no longer needed. */
const NOT_NEEDED = 'Its dead letter is not needed any more:'

/** What has become of the answer that was sent. */
function madeOf(
  { kind: fate, why }: AnswerFate,
  message: string,
  of: string,
  { change }: Io,
): Made {
  const made = { outcome: fate, because: why, ...withReceipt(RECEIPTS[fate], { message }) }
  const discard = `lineclear dlq discard --all ${optionWord('--id', message)}`
  switch (fate) {
    case 'taken':
      return {
        ...made,
        said: `Done: the step has taken the answer. Recorded as done by ${change.by}.`,
      }
    case 'sent': {
      const said =
        'Sent, and not taken yet: the function of the step is busy, paused or failing, or is of an older version. Look again with:'
      return { ...made, said, next: `lineclear explain ${shellWord(of)}` }
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
