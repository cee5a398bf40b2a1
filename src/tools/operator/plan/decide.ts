import { readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { isIdempotencyKey, itemKey } from '../../../library/entries/sweeper/address.ts'
import type { StoredRequest } from '../explain/readRequest.ts'
import { unknownCalls, unknownOutcomes } from '../explain/tokenState.ts'
import { type AdvisedCommand, decideCommand, madeOption } from '../item/advise.ts'
import { type Decision, DECISIONS, decisionsOf, decisionSubject } from '../item/decisions.ts'
import { noChange, type NoChange } from './applyPlan.ts'
import { type Details, planDecision, stepsIn, type DecisionTable } from './planDecision.ts'

/** @returns what the decision is about, or why there is none */
export function chooseSubject(
  id: string,
  word: Decision,
  found: readonly StoredRequest[],
): StoredRequest | NoChange {
  const about = { action: `decide ${word}`, id, standing: [] } as const
  if (found.length === 0) return noChange('missing', about, 'nothing has that id')
  const fitting = found.filter(({ pk }) => decisionsOf(decisionSubject(pk)).includes(word))
  const [one, other] = fitting
  if (other !== undefined) {
    const names = fitting.map(({ pk }) => pk).join(' or ')
    return noChange('impossible', about, `several items have that id: name one of them, ${names}`)
  }
  if (one !== undefined) return one
  const words = [...new Set(found.flatMap(({ pk }) => decisionsOf(decisionSubject(pk))))]
  const because =
    words.length === 0
      ? 'there is nothing to decide about it: it continues by itself'
      : `'${word}' is no decision about it: there are ${words.join(', ')}`
  return noChange('impossible', about, because)
}

type Choices = readonly {
  readonly command: AdvisedCommand
  readonly changes: readonly string[]
}[]

/** The decisions that are possible now. @param id the only item that it names. @throws StoreUnavailableError */
export async function choicesOn(
  found: StoredRequest,
  id: string,
  table: DecisionTable,
): Promise<Choices> {
  const tried = candidatesOf(found).map(async ([word, details]): Promise<Choices> => {
    const plan = await planDecision(found.pk, word, details, table)
    if (plan.kind !== 'change') return []
    const { answers, ...named } = details
    const command = decideCommand(
      id,
      word,
      answers === undefined ? named : madeOption([...answers.keys()]),
    )
    const choice = { command, changes: plan.changes }
    if (word !== 'timeout') return [choice]
    // The operator has yet to say the answer; a step that can time out can be answered.
    const answer = { ask: 'answer', word: 'JSON', before: '' } as const
    const answered = decideCommand(id, 'answer', { ...named, answer })
    return [{ command: answered, changes: [DECISIONS.answer.does] }, choice]
  })
  return (await Promise.all(tried)).flat()
}

type Candidate = readonly [
  Decision,
  { readonly [N in 'answers' | 'notDone' | 'request' | 'step']?: NonNullable<Details[N]> },
]

function candidatesOf({ pk, items }: StoredRequest): readonly Candidate[] {
  const subject = decisionSubject(pk)
  if (subject === 'request') {
    const token = items[0] && readToken(items[0])
    const isParked = token?.status === 'unknown' || token?.status === 'error'
    const calls = isParked && !isIdempotencyKey(pk) ? unknownCalls(token) : []
    if (calls.length > 0) return ofCalls(calls)
    const notDone = token === undefined ? [] : unknownOutcomes(token)
    return decisionsOf(subject).map((word) => [word, word === 'free' ? { notDone } : {}])
  }
  if (subject !== 'flow') return decisionsOf(subject).map((word) => [word, {}])
  const dead = items.filter((item) => itemKey(item).sk.startsWith('dead#'))
  const requests = dead.flatMap((item) => readDeadRun(item)?.uniqueRequestId ?? [])
  return [
    ['free', {}],
    ...requests.map((request): Candidate => ['drop', { request }]),
    ...stepsIn(items).flatMap((step): readonly Candidate[] => [
      ['timeout', { step }],
      ['again', { step }],
    ]),
  ]
}

/** As `explain` advises. Without a word about its calls it would be parked again, and `free` is the same as that they were not made. */
function ofCalls(calls: readonly string[]): readonly Candidate[] {
  const answers = new Map(calls.map((call) => [call, null]))
  return [
    ['again', { answers }],
    ['again', { notDone: calls }],
    ['done', {}],
  ]
}
