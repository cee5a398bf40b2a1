import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { clock, Time } from '../../parts/Time.tsx'
import { copy } from '../../parts/toast.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Text } from '../../parts/Text.tsx'
import { planChange } from '../../parts/plans.ts'
import { Status } from '../../parts/Status.tsx'
import { session } from '../../session.ts'
import { useAnswer } from '../../useAnswer.ts'
import { type Operation, rampOf, type Standing, standingOf } from './entries.ts'
import { plainText } from '../../parts/safeText.ts'

/** What this server knows of a command that it has run for the plan. */
interface Here {
  readonly here?: {
    readonly running: boolean
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
  const seen = useAnswer<Operation & Here>('operation', { plan }, { every })
  const { answer, failure, loading, refresh } = seen
  const runs = answer?.state === 'running' || answer?.here?.running === true
  useEffect(() => setRunning(runs), [runs])
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton lines={6} />}
      {answer?.outcome === 'missing' && (
        <Empty title={`There is no plan ${plan}.`}>
          Plans that were not applied are kept for 15 days. <a href="/history">All changes</a>
        </Empty>
      )}
      {answer !== undefined && answer.outcome !== 'missing' && <Shown operation={answer} />}
      <AsCommand of={answer} />
    </>
  )
}

function Shown({ operation }: { readonly operation: Operation & Here }) {
  const { action, args, planned, done, failed, because, at, by, plan, here, state } = operation
  const standing = standingOf(operation, clock.value)
  const { status, left } = standing
  const error = here?.body?.error
  return (
    <>
      <div class="bar">
        <h2>
          <Status of={status} /> <Text of={action} /> <span class="faint">{plan}</span>
        </h2>
        <Buttons operation={operation} standing={standing} />
      </div>
      <Progress planned={planned} done={done} failed={failed} />
      <p role="status" class={because === undefined ? '' : 'tone-bad'}>
        {because === undefined ? (
          saysOf(status, left)
        ) : (
          <>
            It stopped: <Text of={because} />
          </>
        )}
      </p>
      {error !== undefined && <Failure of={new ApiError(500, error.message, error.help)} />}
      <Facts
        of={[
          { name: 'Planned', value: planned.toLocaleString('en') },
          { name: 'Done', value: done.toLocaleString('en') },
          failed > 0 && {
            name: 'Failed again',
            value: <span class="tone-warn">{failed.toLocaleString('en')}</span>,
          },
          {
            name: state === 'done' ? 'Not found any more' : 'Left',
            value: left.toLocaleString('en'),
          },
          { name: status === 'planned' ? 'Planned' : 'Began', value: <Time at={at} /> },
          { name: 'By', value: <Text of={by} /> },
        ]}
      />
      <Ramp of={operation} isRunning={status === 'running'} />
      <section>
        <h3>Its command</h3>
        <code>
          <Text of={['lineclear', ...args].join(' ')} />
        </code>
      </section>
    </>
  )
}

function saysOf(status: Standing['status'], left: number): ComponentChildren {
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

const SAYS: Readonly<Record<Exclude<Standing['status'], 'failed again'>, string>> = {
  planned: 'Nothing was changed yet.',
  running: 'It is running, on this machine or another one. You can leave this page.',
  paused: 'An operator has paused it. The rest stays as it is until you resume it.',
  stopped: 'It stopped. The rest stays as it is.',
  killed:
    'Its command was killed. Messages that it held become visible again within a minute. Resume it: it does the rest, and nothing twice.',
  done: 'Nothing is left.',
}

/** Then the page cannot put them back. */
function isInFile(args: readonly string[]): boolean {
  return args.some((word) => word.split('=')[0] === '--to-file')
}

interface ButtonsProps {
  readonly operation: Operation
  readonly standing: Standing
}

function Buttons({ operation: { plan, action, done, args }, standing: { can } }: ButtonsProps) {
  const given = { plan }
  const isLetters = args[0] === 'dlq'
  if (!isLetters && can !== 'nothing')
    return <Typed command={`lineclear ${args.join(' ')} --apply ${plan}`} />
  return (
    <p class="actions">
      {can === 'pause' && (
        <button
          type="button"
          class="main"
          onClick={() => planChange({ action: 'dlq.pause', given, title: 'Pause it' })}
        >
          Pause…
        </button>
      )}
      {(can === 'go on' || can === 'apply') && (
        <button
          type="button"
          class="main"
          onClick={() =>
            planChange({
              action: 'dlq.resume',
              given,
              title: can === 'apply' ? 'Apply the plan' : 'Resume it',
            })
          }
        >
          {can === 'apply' ? 'Apply…' : 'Resume…'}
        </button>
      )}
      {action === 'dlq discard' && done > 0 && !isInFile(args) && (
        <button
          type="button"
          onClick={() =>
            planChange({ action: 'dlq.restore', given, title: 'Put them back on their queue' })
          }
        >
          Restore…
        </button>
      )}
    </p>
  )
}

/** Requests are changed by the command that made the plan. */
function Typed({ command }: { readonly command: string }) {
  return (
    <button type="button" title={plainText(command)} onClick={() => void copy(command, 'Command')}>
      copy the command that resumes it
    </button>
  )
}

interface ProgressProps {
  readonly planned: number
  readonly done: number
  readonly failed: number
}

function Progress({ planned, done, failed }: ProgressProps) {
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

interface RampProps {
  readonly of: Operation
  readonly isRunning: boolean
}

/** A redrive begins slowly, and looks after each step what became of what it has sent. */
function Ramp({ of, isRunning }: RampProps) {
  const ramp = rampOf(of)
  if (ramp === undefined) return null
  const { steps, stopAfter } = ramp
  return (
    <section>
      <h3>Ramp, dead letters a second</h3>
      <ol class="ramp">
        {steps.map((step) => (
          <li
            key={step}
            class={of.rate !== undefined && step <= of.rate ? 'reached' : ''}
            aria-current={isRunning && step === of.rate ? 'step' : undefined}
          >
            {step}
          </li>
        ))}
      </ol>
      <p class="faint">
        {stopAfter === undefined
          ? 'No ramp: it does not check for failures, and does not stop.'
          : `It stops when ${stopAfter} of the first 100 have failed again.`}
      </p>
    </section>
  )
}
