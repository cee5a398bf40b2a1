import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { commandLine } from '../../../../operator/text/commandLine.ts'
import { ApiError, session } from '../../api.ts'
import { Copied } from '../../parts/AsCommand.tsx'
import { clock, Time } from '../../parts/Time.tsx'
import { Answer, Empty, ApiFailure } from '../../parts/standIns.tsx'
import { FactList } from '../../parts/Id.tsx'
import { PlanButton } from '../../parts/StepButton.tsx'
import { Status } from '../../parts/Status.tsx'
import { StopButton } from '../../parts/StopButton.tsx'
import { useAnswer } from '../../useAnswer.ts'
import { type BulkPlanAnswer, type PlanStanding, standingOf } from './entries.ts'

/** What this server knows of a command that it has run for the plan. */
interface Here {
  readonly here?: {
    readonly running: boolean
    /** A person has stopped it, and it is not at its next safe point yet. */
    readonly stopping?: boolean
    readonly body?: Readonly<Record<string, unknown>> & {
      readonly error?: { readonly message: string; readonly help: readonly string[] }
    }
  }
}

/** Milliseconds. The command that runs writes its progress once a second. */
const RUNS = { local: 1_000, account: 2_000 }
const STANDS = { local: 5_000, account: 30_000 }

/** A plan of many items: how far it is, and what a person can do with it. It lives in the table, not in this page or its server. */
export function OperationView({ plan }: { readonly plan: string }) {
  const [isRunning, setRunning] = useState(false)
  const every = (isRunning ? RUNS : STANDS)[session.value?.local === true ? 'local' : 'account']
  const seen = useAnswer<BulkPlanAnswer & Here>('overview', { plan }, every)
  const { answer } = seen
  const runs = answer?.state === 'running' || answer?.here?.running === true
  useEffect(() => setRunning(runs), [runs])
  return (
    <Answer of={seen} lines={6}>
      {(operation) =>
        operation.outcome === 'missing' ? (
          <Empty title={`There is no plan ${plan}.`}>
            Plans that were not applied are kept for 15 days. <a href="/history">All changes</a>
          </Empty>
        ) : (
          <Shown operation={operation} />
        )
      }
    </Answer>
  )
}

function Shown({ operation }: { readonly operation: BulkPlanAnswer & Here }) {
  const { action, args, planned, done, failed, because, at, by, why, plan, here, state, rate } =
    operation
  const standing = standingOf(operation, clock.value)
  const { status, left } = standing
  const error = here?.body?.error
  return (
    <>
      <div class="bar">
        <h2>
          <Status of={status} /> {action} <span class="faint">{plan}</span>
        </h2>
        <Buttons operation={operation} standing={standing} />
      </div>
      <Progress planned={planned} done={done} failed={failed} />
      <p role="status" class={because === undefined ? '' : 'tone-bad'}>
        {because === undefined ? saysOf(status, left) : <>It stopped: {because}</>}
      </p>
      {error !== undefined && <ApiFailure of={new ApiError(500, error.message, error.help)} />}
      <FactList
        of={[
          failed > 0 && {
            name: 'Failed again',
            value: <span class="tone-warn">{failed.toLocaleString('en')}</span>,
          },
          {
            name: state === 'done' ? 'Not found any more' : 'Left',
            value: left.toLocaleString('en'),
          },
          rate !== undefined && { name: 'Dead letters a second', value: rate },
          { name: status === 'planned' ? 'Planned' : 'Began', value: <Time at={at} /> },
          { name: 'By', value: by },
          why !== undefined && { name: 'Why', value: why },
        ]}
      />
      <section>
        <h3>Its command</h3>
        <code>{commandLine(args)}</code>
      </section>
    </>
  )
}

function saysOf(status: PlanStanding['status'], left: number): ComponentChildren {
  if (status === 'failed again') {
    return (
      <>
        All were sent, and some of the first ones have failed again:{' '}
        <a href="/letters">dead letters</a>
      </>
    )
  }
  if (status !== 'done' || left === 0) return SAYS[status]
  return `Nothing is left. ${left} were gone: a killed command had processed them before it could count them, or another command had.`
}

const SAYS: Readonly<Record<Exclude<PlanStanding['status'], 'failed again'>, string>> = {
  planned: 'Nothing was changed yet.',
  running:
    'It is running. You can leave this page. Where another command runs it, Ctrl-C there stops it.',
  paused: 'It was paused. The rest stays as it is until you continue it.',
  stopped: 'It stopped. The rest stays as it is.',
  killed:
    'Its command was killed. Messages that it held become visible again within a minute. Continue it: it does the rest, and nothing twice.',
  done: 'Nothing is left.',
}

interface ButtonsProps {
  readonly operation: BulkPlanAnswer & Here
  readonly standing: PlanStanding
}

function Buttons({ operation, standing: { canGoOn } }: ButtonsProps) {
  const { plan, action, done, next, typed, why, here } = operation
  const goOn = {
    action: 'dlq.redrive',
    given: { continue: plan },
    title: 'Continue it',
    why,
  } as const
  return (
    <p class="actions">
      {here?.running === true && <StopButton plan={plan} stopping={here.stopping} />}
      {canGoOn && !typed && <PlanButton main of={goOn} words="Continue" />}
      {canGoOn && typed && next !== undefined && <Copied of={next} what="Command" />}
      {action === 'dlq discard' && done > 0 && (
        <PlanButton
          of={{ action: 'dlq.restore', given: { plan }, title: 'Put them back on their queue' }}
          words="Restore"
        />
      )}
    </p>
  )
}

function Progress({ planned, done, failed }: Pick<BulkPlanAnswer, 'planned' | 'done' | 'failed'>) {
  const part = (count: number): string => `${planned === 0 ? 0 : (100 * count) / planned}%`
  const good = Math.max(0, Math.min(done, planned) - failed)
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Done"
      aria-valuemin={0}
      aria-valuemax={planned}
      aria-valuenow={Math.min(done, planned)}
      aria-valuetext={`${done} of ${planned} done, ${failed} failed again`}
    >
      {good > 0 && <span class="part-good" style={{ width: part(good) }} />}
      {failed > 0 && <span class="part-warn" style={{ width: part(Math.min(failed, done)) }} />}
      <b>
        {done.toLocaleString('en')} of {planned.toLocaleString('en')}
      </b>
    </div>
  )
}
