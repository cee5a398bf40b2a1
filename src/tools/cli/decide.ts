import { id, duration, json, kind, type Kind, name, namedJson, words } from '../commands/kinds.ts'
import type { Given } from '../commands/row.ts'
import { displayId } from '../operator/text/itemId.ts'
import { explainRequest } from '../operator/explain/explain.ts'
import { readRequest } from '../operator/explain/readRequest.ts'
import { commandText } from '../operator/item/advise.ts'
import { choicesOn, chooseSubject } from '../operator/plan/decide.ts'
import { type Details, planDecision } from '../operator/plan/planDecision.ts'
import {
  type Decision,
  DECISIONS,
  decisionOptions,
  type Subject,
  decisionSubject,
  WORDS,
} from '../operator/item/decisions.ts'
import { noChange } from '../operator/plan/applyPlan.ts'
import { optionName } from '../operator/text/commandLine.ts'
import { isPlanName } from '../operator/text/planName.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { decideGroup, showGroup, showGroups } from './decideGroup.ts'
import { followedAnswer, missingId, runPlan } from './runPlan.ts'
import { loadSchema } from './loadModule.ts'
import { printJson, oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

const call: Kind<string> = { ...name, word: 'CALL' }
const decisionKind: Kind<Decision> = kind(
  'DECISION',
  (text, refuse) => WORDS.find((word) => word === text) ?? refuse(EXPECTED),
  (text) => (WORDS.some((word) => word === text) ? undefined : EXPECTED),
)
const EXPECTED = `${WORDS.slice(0, -1).join(', ')} or ${WORDS.at(-1) ?? ''}`

const ROW = {
  arguments: {
    id: {
      kind: id,
      help: 'consumer/ID, name/KEY, flow/KEY or later/ID; or a GROUP, for at most 10,000 of it in one plan: what has changed since the plan is left, and listed',
      optional: true,
      page: true,
    },
    decision: { kind: decisionKind, help: EXPECTED, optional: true, page: true },
  },
  options: {
    result: { kind: json, help: 'what later callers of the key get', page: true },
    error: { kind: words, help: 'end it with this error instead', page: true },
    notDone: {
      kind: call,
      help: 'this call with an unknown outcome was not made, and is made again; section: what a call of a key does',
      many: true,
      page: true,
    },
    made: {
      kind: namedJson('CALL'),
      help: 'this call with an unknown outcome was made, and this was its result',
      many: true,
      page: true,
    },
    request: {
      kind: id,
      word: 'UNIQUEREQUESTID',
      help: 'a dead request of the flow; of a step: another run of the key',
      page: true,
    },
    step: { kind: name, word: 'STEP', help: 'the step, if the flow has several', page: true },
    answer: { kind: json, help: 'the answer, as the outside system would send it', page: true },
    externalId: {
      kind: id,
      help: 'the external id, if the step has several, and the answer does not contain it',
      page: true,
    },
    schema: {
      kind: kind('FILE#EXPORT', (text) => text),
      help: 'a Standard Schema of yours: an answer that it refuses is not sent',
    },
    wait: {
      kind: duration,
      help: 'for the function that takes the answer; 0s: not at all (default 20s)',
      page: true,
    },
    keep: {
      kind: name,
      help: 'an effect or a result of the handler that stays, and is not made again',
      many: true,
      page: true,
    },
    for: { kind: duration, help: 'how long to wait from now on (default 1d)', page: true },
  },
} as const

export const decide: Command = command({
  words: 'decide',
  summary:
    'decide about an item or a group; without DECISION: which are possible, and what each would do; without ID: what waits, by group',
  about: WORDS.map(aboutOf),
  ...ROW,
  examples: [
    'decide',
    'decide orders/order-17',
    'decide refunds/order-5 free --not-done section',
    `decide orders/order-17 again --made charge='"receipt 5"'`,
    `decide checkout/cart-5 answer --answer '{"paid":true}'`,
  ],
  changes: 'plan',
  long: ({ id: of }) => typeof of === 'string' && isPlanName(of),
  run: async ({ id: of, decision, ...options }, io) => {
    // Ids have a slash.
    const isGroup = of !== undefined && isPlanName(of)
    refuseOthers(decision, options, isGroup ? 'request' : undefined)
    if (decision === undefined && io.change.apply) throw new UsageError(`--apply: ${UNDECIDED}`)
    if (of === undefined) return showGroups(io)
    if (isGroup) {
      if (decision === undefined) return showGroup(of, io)
      return decideGroup(of, decision, detailsOf(options), io)
    }
    return decision === undefined ? showItem(of, io) : decideItem(of, decision, options, io)
  },
})

function aboutOf(word: Decision): string {
  const options = [...new Set(decisionOptions(word))].map(optionName).join(', ')
  return `${word}: ${DECISIONS[word].does}${options === '' ? '' : ` (${options})`}.`
}

const UNDECIDED = 'expected a decision, got none'

type Options = Omit<Given<(typeof ROW)['arguments'], (typeof ROW)['options']>, 'id' | 'decision'>

function refuseOthers(decision: Decision | undefined, options: Options, subject?: Subject): void {
  const known = decision === undefined ? [] : decisionOptions(decision, subject)
  const given = Object.entries(options).filter(([, value]) => [value].flat()[0] !== undefined)
  const other = given.map(([option]) => option).find((option) => !known.includes(option))
  if (other === undefined) return
  if (decision === undefined) throw new UsageError(`${optionName(other)}: ${UNDECIDED}`)
  const takes = known.length === 0 ? 'takes none' : `takes ${known.map(optionName).join(', ')}`
  throw new UsageError(`${optionName(other)}: not of this decision: ${decision} ${takes}`)
}

function detailsOf({ made, ...options }: Options): Details {
  if (options.result !== undefined && options.error !== undefined) {
    throw new UsageError('expected --result or --error, got both')
  }
  return { ...options, answers: answersOf(made) }
}

async function decideItem(
  of: string,
  decision: Decision,
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const details = detailsOf(options)
  if (decision === 'answer' && options.answer === undefined) {
    throw new UsageError('expected --answer JSON, got none')
  }
  const refuses = options.schema === undefined ? undefined : await loadSchema(options.schema)
  const found = chooseSubject(of, decision, await readRequest(io.reader(), of))
  if ('kind' in found) return runPlan(found, io)
  refuseOthers(decision, options, decisionSubject(found.pk))
  const because = await refuses?.(JSON.stringify(details.answer))
  if (because !== undefined) {
    const about = { action: `decide ${decision}`, id: of, standing: [] } as const
    return runPlan(noChange('impossible', about, because), io)
  }
  const plan = await planDecision(found.pk, decision, details, tableOf(io))
  if (!('sent' in plan) || options.wait === 0) return runPlan(plan, io)
  return runPlan(plan, io, async () => followedAnswer(plan, options.wait ?? ANSWER_WAIT, io))
}

const ANSWER_WAIT = 20_000

function tableOf(io: Io) {
  return { store: io.store(), reader: io.reader(), now: io.clock.now() }
}

async function showItem(of: string, io: Io): Promise<ExitCode> {
  const found = await readRequest(io.reader(), of)
  const tried = found.map(async (each) =>
    choicesOn(each, found.length > 1 ? each.pk : displayId(each.pk), tableOf(io)),
  )
  const choices = (await Promise.all(tried)).flat()
  const items = found.flatMap((each) => explainRequest(each, io.clock.now()))
  const decisions = choices.map(({ command, changes }) => ({
    given: { ...command.positionals, ...command.options },
    line: commandText(command),
    changes,
  }))
  if (io.json) printJson(io, { id: of, items: items.map(({ title }) => title), decisions })
  else if (found.length === 0) io.err(oneLine(missingId('nothing has that id', io)))
  else {
    for (const { title } of items) io.out(oneLine(title))
    if (decisions.length === 0) io.out('There is nothing to decide about it.')
    for (const { line, changes } of decisions) {
      io.out(oneLine(io.here(`  ${line}`)))
      io.out(oneLine(io.here(`    ${changes.join('; ')}`)))
    }
  }
  return found.length === 0 ? 4 : 0
}

/** @throws UsageError if one call is given two results: the second would silently replace the first */
function answersOf(
  given: readonly (readonly [call: string, answer: unknown])[],
): ReadonlyMap<string, unknown> {
  const answers = new Map<string, unknown>()
  for (const [of, answer] of given) {
    if (answers.has(of)) throw new UsageError(`--made: expected one for the call ${of}, got 2`)
    answers.set(of, answer)
  }
  return answers
}
