import { useState } from 'preact/hooks'
import type { DevSample, SendAnswer, SendBody } from '../../dev/types.ts'
import { valueOf } from '../address.ts'
import { post } from '../api.ts'
import { Id } from '../parts/Id.tsx'
import { Failure } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { address, setQuery } from '../route.ts'
import { useTry } from './devState.ts'
import { jsonProblem, remember, remembered, sampleText, targetsOf } from './drafts.ts'

/** Sends a sample of the file, or what is typed, to a queue or topic. */
export function Send({ samples }: { readonly samples: readonly DevSample[] }) {
  const targets = targetsOf(samples)
  const asked = valueOf(address.value.query['to'])
  const sample = targets.find(({ to }) => to === asked) ?? targets[0]
  if (sample === undefined) return null
  return (
    <section class="dev-part">
      <header>
        <h2>Send</h2>
        <select
          aria-label="Queue or topic"
          value={sample.to}
          onChange={({ currentTarget: { value } }) => setQuery({ to: value })}
        >
          {targets.map(({ to, kind }) => (
            <option key={to} value={to}>
              {kind === 'topic' ? `topic ${to}` : to}
            </option>
          ))}
        </select>
      </header>
      <SendForm key={sample.to} sample={sample} />
    </section>
  )
}

const MOST_TIMES = 1_000

/** Of one queue or topic. Give it the name as its key: another one has another draft. */
function SendForm({ sample }: { readonly sample: DevSample }) {
  const { to, kind, counts, topics, fifo, from } = sample
  const kept = remembered(to)
  const [text, setText] = useState(kept ?? sampleText(sample))
  const [isNext, setNext] = useState(counts && kept === undefined)
  const [typed, setTyped] = useState('1')
  const times = Math.min(MOST_TIMES, Math.max(1, Math.round(Number(typed)) || 1))
  const [twice, setTwice] = useState(false)
  const [outOfOrder, setOutOfOrder] = useState(false)
  const [by, setBy] = useState('')
  const [id, setId] = useState('')
  const [group, setGroup] = useState('')
  const [sent, setSent] = useState<SendAnswer['sent']>([])
  const { busy, failure, run } = useTry()
  const problem = isNext ? undefined : text.trim() === '' ? EMPTY : jsonProblem(text)
  const place = placeOf(problem)

  const submit = (): void =>
    run(async () => {
      const body: SendBody = {
        to,
        times,
        ...(!isNext && { payload: JSON.parse(text) as unknown }),
        ...(twice && { twice }),
        ...(outOfOrder && times > 1 && { outOfOrder }),
        ...(by !== '' && { bySns: by }),
        ...(id !== '' && { uniqueRequestId: id }),
        ...(fifo && group !== '' && { group }),
      }
      remember(to, isNext ? undefined : text)
      setSent((await post<SendAnswer>('dev/send', body)).sent)
    })

  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined) submit()
      }}
    >
      <div class="row">
        <button type="submit" class="main" disabled={busy || problem !== undefined}>
          {times === 1 ? 'Send' : `Send ${times}`} to <Text of={to} />
        </button>
        <label class="check times">
          <input
            type="number"
            min="1"
            max={MOST_TIMES}
            value={typed}
            onInput={({ currentTarget: { value } }) => setTyped(value)}
          />
          <span>times</span>
        </label>
        <Box
          label="twice"
          help="Each request is delivered twice"
          checked={twice}
          change={setTwice}
        />
        <Box
          label="out of order"
          help="In another order than they are numbered"
          checked={outOfOrder}
          change={setOutOfOrder}
          disabled={times < 2}
        />
        {kind === 'queue' && topics.length > 0 && (
          <select
            aria-label="By"
            value={by}
            onChange={({ currentTarget: { value } }) => setBy(value)}
          >
            <option value="">by the queue itself</option>
            {topics.map((topic) => (
              <option key={topic} value={topic}>
                by topic {topic}
              </option>
            ))}
          </select>
        )}
        {sent[0] !== undefined && (
          <span role="status">
            sent {sent.length > 1 && `${sent.length}, the first is `}
            <Id of={sent[0].request} />
          </span>
        )}
      </div>
      <details open={from !== 'file'}>
        <summary>{fifo ? 'Payload, id and group' : 'Payload and id'}</summary>
        {counts && (
          <Box
            label="each message gets the next sample of the file"
            checked={isNext}
            change={setNext}
          />
        )}
        <label>
          <span>Payload, JSON</span>
          <textarea
            class="code"
            rows={8}
            spellcheck={false}
            disabled={isNext}
            value={text}
            aria-invalid={problem !== undefined}
            aria-describedby="payload-problem"
            onInput={({ currentTarget: { value } }) => setText(value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault()
                if (problem === undefined) submit()
              }
            }}
          />
        </label>
        <div id="payload-problem" class="bar" role="status">
          {problem === undefined ? (
            <span class="faint">{isNext ? 'Not used' : 'JSON ✔'} · Ctrl+Enter sends</span>
          ) : (
            <span class="tone-bad">
              ✖ {place}
              <Text of={problem.message} />
            </span>
          )}
          {!isNext && text !== sampleText(sample) && sample.payload !== undefined && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                remember(to, undefined)
                setText(sampleText(sample))
              }}
            >
              back to the sample
            </button>
          )}
        </div>
        <div class="fields">
          <Field label="uniquerequestid" value={id} hint="that of SQS or SNS" change={setId} />
          {fifo && <Field label="message group" value={group} hint="dev" change={setGroup} />}
        </div>
      </details>
      {failure !== undefined && <Failure of={failure} />}
    </form>
  )
}

interface BoxProps {
  readonly label: string
  readonly help?: string
  readonly checked: boolean
  readonly disabled?: boolean
  change(checked: boolean): void
}

function Box({ label, help, checked, disabled = false, change }: BoxProps) {
  return (
    <label class="check" title={help}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly hint: string
  change(value: string): void
}

function Field({ label, value, hint, change }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        class="code"
        value={value}
        placeholder={hint}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  )
}

const EMPTY = { line: undefined, column: undefined, message: 'Type a JSON value' }

function placeOf(problem: ReturnType<typeof jsonProblem>): string {
  return problem?.line === undefined ? '' : `line ${problem.line}, column ${problem.column}: `
}
