import { useEffect, useRef, useState } from 'preact/hooks'
import { Glyph } from './Status.tsx'
import { ApiError, type Common, postAnswer, session } from '../api.ts'
import { refresh } from '../live.ts'
import { go } from '../route.ts'
import { AsCommand } from './AsCommand.tsx'
import { Dialog } from './Dialog.tsx'
import { Checkbox, Field, Form } from './fields.tsx'
import { ApiFailure, Skeleton } from './standIns.tsx'
import {
  closePlan,
  filledIn,
  FORCED,
  forcedIn,
  type Intent,
  intent,
  isBound,
  type PlanAnswer,
  type Typed,
} from './plans.ts'
import { PlanView } from './PlanView.tsx'
import { StopButton } from './StopButton.tsx'

type Answer = Common & PlanAnswer

/** Stands once in the shell. `planChange()` opens it. */
export function PlanDialog() {
  const now = intent.value
  if (now === undefined) return null
  return (
    <Dialog title={now.title} close={closePlan}>
      {session.value?.canChange === false ? <ReadOnly /> : <Change of={now} />}
    </Dialog>
  )
}

function follow(plan: string | undefined): void {
  closePlan()
  go('/history', { plan })
}

function ReadOnly() {
  return (
    <p>
      This console only reads. To change something here, start it with <code>--allow-changes</code>;
      or type the command that the page shows.
    </p>
  )
}

/** `asking`: what only the person knows. Then the plan; then what has become of it. */
type Phase =
  | { readonly at: 'asking'; readonly wrong?: string }
  | { readonly at: 'waiting' }
  | { readonly at: 'failed'; readonly failure: ApiError }
  | { readonly at: 'planned' | 'applied'; readonly answer: Answer }

function Change({ of }: { readonly of: Intent }) {
  const [typed, setTyped] = useState<Typed>({})
  /** What the plan is of, and its change. */
  const [asked, setAsked] = useState({ given: of.given, force: false })
  const isForced = asked.force
  const [phase, setPhase] = useState<Phase>(
    of.ask === undefined ? { at: 'waiting' } : { at: 'asking' },
  )
  const plan = async (force = isForced): Promise<void> => {
    const filled = filledIn(of, typed)
    if ('wrong' in filled) return setPhase({ at: 'asking', wrong: filled.wrong })
    const next = { given: filled.given, force }
    setAsked(next)
    return send('plan', next)
  }
  /** Ends the making of a plan: closing the dialog does so. */
  const looking = useRef<AbortController>(undefined)
  useEffect(() => () => looking.current?.abort(), [])
  const send = async (route: 'plan' | 'apply', body: object): Promise<void> => {
    looking.current = route === 'plan' ? new AbortController() : undefined
    setPhase({ at: 'waiting' })
    try {
      const signal = looking.current?.signal
      const answer = await postAnswer<PlanAnswer>(route, { action: of.action, ...body }, signal)
      if (route === 'plan' || answer.outcome === 'another plan') {
        return setPhase({ at: 'planned', answer })
      }
      of.applied?.()
      refresh()
      if (hasPage(answer, of)) follow(answer.plan)
      else setPhase({ at: 'applied', answer })
    } catch (error) {
      setPhase({ at: 'failed', failure: ApiError.of(error) })
    }
  }
  useEffect(() => {
    if (of.ask === undefined) void plan()
  }, [])

  return (
    <>
      {of.ask !== undefined && phase.at !== 'applied' && (
        <Questions of={of} typed={typed} type={setTyped} ask={() => void plan()} />
      )}
      {phase.at === 'asking' && phase.wrong !== undefined && (
        <p class="tone-bad" role="alert">
          {phase.wrong}
        </p>
      )}
      {phase.at === 'waiting' && (
        <>
          <Skeleton lines={4} />
          {looking.current !== undefined && (
            <p class="buttons">
              <button type="button" onClick={closePlan}>
                Stop
              </button>
            </p>
          )}
        </>
      )}
      {phase.at === 'failed' && <ApiFailure of={phase.failure} again={() => void plan()} />}
      {(phase.at === 'planned' || phase.at === 'applied') && (
        <>
          <PlanView of={phase.answer} />
          {phase.at === 'planned' && (isForced || forcedIn(phase.answer) !== undefined) && (
            <Checkbox
              checked={isForced}
              change={(force) => void plan(force)}
              label={forcedIn(phase.answer) ?? FORCED}
            />
          )}
          {phase.at === 'planned' ? (
            <Approval
              of={of}
              answer={phase.answer}
              isForced={isForced}
              apply={(consent) => void send('apply', { ...asked, ...consent })}
            />
          ) : (
            <Outcome answer={phase.answer} />
          )}
          <AsCommand of={phase.answer.running === true ? undefined : phase.answer} />
        </>
      )}
    </>
  )
}

interface QuestionsProps {
  readonly of: Intent
  readonly typed: Typed
  readonly type: (typed: Typed) => void
  readonly ask: () => void
}

function Questions({ of: { ask: questions = [] }, typed, type, ask }: QuestionsProps) {
  return (
    <Form submit={ask}>
      {questions.map(({ label, hint, kind }, at) => (
        <Field
          key={label}
          label={label}
          value={typed[at] ?? ''}
          change={(value) => type({ ...typed, [at]: value })}
          hint={hint}
          code={kind === 'json'}
        />
      ))}
      <button type="submit">Show the plan</button>
    </Form>
  )
}

interface Consent {
  readonly plan?: string
  readonly why: string
  readonly confirm?: string
}

interface ApprovalProps {
  readonly of: Intent
  readonly answer: Answer
  readonly isForced: boolean
  readonly apply: (consent: Consent) => void
}

/** Why, and in an account the name of the table: no change is made in the wrong place by a slip. */
function Approval({ of, answer, isForced, apply }: ApprovalProps) {
  const [why, setWhy] = useState(of.why ?? '')
  const [confirm, setConfirm] = useState('')
  const { plan, liveLease } = answer
  const { local = false, table = '' } = session.value ?? {}
  const field = useRef<HTMLInputElement>(null)
  const isEmpty = isBound(of) ? plan === undefined : answer.outcome === 'missing'
  useEffect(() => field.current?.focus(), [])
  if (isEmpty) return null
  const isReady =
    (local || (why.trim() !== '' && confirm === table)) && (liveLease === undefined || isForced)
  const submit = (): void => {
    if (!isReady) return
    apply({
      ...(isBound(of) && plan !== undefined && { plan }),
      why: why.trim(),
      ...(!local && { confirm }),
    })
  }
  return (
    <Form look="form approval" submit={submit}>
      <label>
        <span>Why{local ? '' : ' (needed)'}</span>
        <input
          ref={field}
          value={why}
          placeholder="for the audit, such as: provider is back, INC-114"
          onInput={({ currentTarget: { value } }) => setWhy(value)}
        />
      </label>
      {!local && (
        <Field label={`Type the table’s name, ${table}`} value={confirm} change={setConfirm} code />
      )}
      <p class="buttons">
        <button type="button" onClick={closePlan}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={!isReady}>
          Apply: {of.title}
        </button>
      </p>
    </Form>
  )
}

/** Outcomes after which nothing is left for the person to do. */
const GOOD: ReadonlySet<string> = new Set(['applied', 'taken', 'running'])

const FOLLOWED: ReadonlySet<string> = new Set(['dlq redrive', 'dlq discard', 'dlq restore'])
/** Outcomes of which the plan keeps how far it came. */
const ENDED: ReadonlySet<string> = new Set(['applied', 'failed again', 'incomplete', 'stopped'])

/** The page of its plan says more of it, with what comes next: also of what has ended before its answer. */
function hasPage(answer: Answer, { action }: Intent): boolean {
  if (answer.running === true) return action !== 'sweep'
  return FOLLOWED.has(answer.action ?? '') && ENDED.has(answer.outcome ?? '')
}

function Outcome({ answer }: { readonly answer: Answer }) {
  const { running, outcome = '', said, next, plan } = answer
  const isDone = running === true || GOOD.has(outcome)
  return (
    <>
      <p class={`outcome tone-${isDone ? 'good' : 'warn'}`} role="status">
        <Glyph of={isDone ? '✔' : '!'} />
        {running === true ? 'It is running. You can leave this page.' : said}
        {next !== undefined && (
          <>
            {' '}
            <code>{next}</code>
          </>
        )}
      </p>
      <p class="buttons">
        {running === true && plan !== undefined && <StopButton plan={plan} />}
        <button type="button" class="main" onClick={closePlan}>
          Close
        </button>
      </p>
    </>
  )
}
