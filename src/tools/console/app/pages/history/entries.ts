import type { Operation as PlanRow } from '../../../../operator/dlq/index.ts'
import type { AuditEntry } from '../../../../../sweeper/audit/auditRow.ts'
import type { Tone } from '../../parts/statuses.ts'

const OF_MANY: ReadonlySet<string> = new Set([
  'dlq redrive',
  'dlq discard',
  'dlq archive',
  'dlq restore',
])

/** Whether the plan of an entry is kept under its name, so that its progress can be shown. */
export function isOfMany({ action, id }: AuditEntry): boolean {
  return OF_MANY.has(action) || (action.startsWith('tokens ') && id.startsWith('group '))
}

const GOOD: ReadonlySet<string> = new Set(['applied', 'done', 'taken', 'nothing', 'asked to pause'])
const BAD: ReadonlySet<string> = new Set(['refused', 'failed', 'stopped', 'begun'])

/** `begun`: the command was killed, and what it has done is not recorded. */
export function toneOf(result: string): Tone {
  if (GOOD.has(result)) return 'good'
  return BAD.has(result) ? 'bad' : 'warn'
}

/** `GET /api/operation`: a plan of many items, as its row in the table says. */
export type Operation = Omit<PlanRow, 'name' | 'leaseUntil' | 'rate' | 'because'> &
  Partial<Pick<PlanRow, 'rate' | 'because'>> & {
    /** `missing`: there is no such plan. */
    readonly outcome?: string
    readonly plan: string
    /** Until when its command is taken to be alive. */
    readonly runsUntil?: string
  }

/** Where a plan stands, and what a person can do. */
export interface Standing {
  /** `killed`: its command has not reported for half a minute. `failed again`: done, and some of them have. */
  readonly status: Operation['state'] | 'killed' | 'failed again'
  /** Not dealt with. Of a plan that is done, they were gone or done by others. */
  readonly left: number
  readonly can: 'apply' | 'pause' | 'go on' | 'nothing'
}

/** @param now epoch milliseconds */
export function standingOf(
  { state, planned, done, failed, runsUntil }: Operation,
  now: number,
): Standing {
  const isAlive = runsUntil !== undefined && Date.parse(runsUntil) > now
  const ended = state === 'done' && failed > 0 ? 'failed again' : state
  const status = state === 'running' && !isAlive ? 'killed' : ended
  return { status, left: Math.max(0, planned - done), can: CAN[status] }
}

const CAN = {
  planned: 'apply',
  running: 'pause',
  paused: 'go on',
  stopped: 'go on',
  killed: 'go on',
  done: 'nothing',
  'failed again': 'nothing',
} as const

/** As the command defaults them. */
const RATE = 50
const STOP_AFTER = 3

/** How a redrive goes. undefined: it is none. */
interface RampPlan {
  /** Dead letters a second, step by step; the last one is the full rate. */
  readonly steps: readonly number[]
  /** It stops when so many of the first 100 have failed again; undefined: never. */
  readonly stopAfter: number | undefined
}

export function rampOf({ action, args }: Operation): RampPlan | undefined {
  if (action !== 'dlq redrive') return undefined
  const rate = Number(optionIn(args, '--rate') ?? RATE)
  if (args.includes('--no-ramp')) return { steps: [rate], stopAfter: undefined }
  const stopAfter = Number(optionIn(args, '--stop-after') ?? STOP_AFTER)
  return { steps: [...stepsBelow(rate), rate], stopAfter }
}

/** 1, 2, 5, 10, 20, 50 … */
function stepsBelow(rate: number): readonly number[] {
  const steps: number[] = []
  for (let power = 1; power < rate; power *= 10) {
    steps.push(...[1, 2, 5].map((each) => each * power).filter((each) => each < rate))
  }
  return steps
}

/** The value of `--name value` or `--name=value`. */
function optionIn(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((word) => word === name || word.startsWith(`${name}=`))
  const word = args[at]
  if (word === undefined) return undefined
  return word === name ? args[at + 1] : word.slice(name.length + 1)
}
