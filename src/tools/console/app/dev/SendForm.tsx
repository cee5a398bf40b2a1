import { useState } from 'preact/hooks'
import type { DevSample, SendBody } from '../../dev/index.ts'
import { Failure } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { send } from './sending.ts'
import { useTry } from './useTry.ts'
import { jsonProblem, remember, remembered, sampleText } from './drafts.ts'

const MOST_TIMES = 1_000

/** Sends messages to one queue or topic. Give it the name as its key: another one has another draft. */
export function SendForm({ sample }: { readonly sample: DevSample }) {
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
      await send(body)
    })

  return (
    <form
      class="form send-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === undefined) submit()
      }}
    >
      {counts && (
        <label class="check">
          <input
            type="checkbox"
            checked={isNext}
            onChange={({ currentTarget: { checked } }) => setNext(checked)}
          />
          <span>each message gets the next sample of the file</span>
        </label>
      )}
      <label class="payload">
        <span>
          Payload, JSON
          {from === 'schema' && kept === undefined && ', at first made from the schema'}
        </span>
        <textarea
          class="code"
          rows={12}
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
      <p id="payload-problem" class="payload-note" role="status">
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
      </p>
      <div class="send-options">
        <label>
          <span>times</span>
          <input
            type="number"
            min="1"
            max={MOST_TIMES}
            value={typed}
            onInput={({ currentTarget: { value } }) => setTyped(value)}
          />
        </label>
        <label class="check" title="Each request is delivered twice">
          <input
            type="checkbox"
            checked={twice}
            onChange={({ currentTarget: { checked } }) => setTwice(checked)}
          />
          <span>twice</span>
        </label>
        <label class="check" title="In another order than they are numbered">
          <input
            type="checkbox"
            checked={outOfOrder}
            disabled={times < 2}
            onChange={({ currentTarget: { checked } }) => setOutOfOrder(checked)}
          />
          <span>out of order</span>
        </label>
        {kind === 'queue' && topics.length > 0 && (
          <label>
            <span>by</span>
            <select value={by} onChange={({ currentTarget: { value } }) => setBy(value)}>
              <option value="">the queue itself</option>
              {topics.map((topic) => (
                <option key={topic} value={topic}>
                  topic {topic}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <details>
        <summary>{fifo ? 'Id and group' : 'Id'}</summary>
        <div class="send-options">
          <label>
            <span>uniquerequestid</span>
            <input
              class="code"
              value={id}
              placeholder="that of SQS or SNS"
              onInput={({ currentTarget: { value } }) => setId(value)}
            />
          </label>
          {fifo && (
            <label>
              <span>message group</span>
              <input
                class="code"
                value={group}
                placeholder="dev"
                onInput={({ currentTarget: { value } }) => setGroup(value)}
              />
            </label>
          )}
        </div>
      </details>
      {failure !== undefined && <Failure of={failure} />}
      <button type="submit" class="main" disabled={busy || problem !== undefined}>
        {times === 1 ? 'Send' : `Send ${times}`} to <Text of={to} />
      </button>
    </form>
  )
}

const EMPTY = { line: undefined, column: undefined, message: 'Type a JSON value' }

function placeOf(problem: ReturnType<typeof jsonProblem>): string {
  return problem?.line === undefined ? '' : `line ${problem.line}, column ${problem.column}: `
}
