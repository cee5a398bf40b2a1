import { useState } from 'preact/hooks'
import type { DevSample, DevSendAnswer, SendBody } from '../../dev/types.ts'
import { valueOf } from '../address.ts'
import { postAnswer } from '../api.ts'
import { Checkbox, Field, Form, Select } from '../parts/fields.tsx'
import { Id } from '../parts/Id.tsx'
import { parseJson } from '../parts/words.ts'
import { ApiFailure } from '../parts/standIns.tsx'
import { address, setQuery } from '../route.ts'
import { useTry } from './devState.ts'

export function Send({ samples }: { readonly samples: readonly DevSample[] }) {
  const asked = valueOf(address.value.query['to'])
  const sample = samples.find(({ to }) => to === asked) ?? samples[0]
  if (sample === undefined) return null
  return (
    <section class="dev-part">
      <header>
        <h2>Send</h2>
        <Select
          label="Queue or topic"
          value={sample.to}
          change={(to) => setQuery({ to })}
          options={samples.map(({ to, kind }) => [to, kind === 'topic' ? `topic ${to}` : to])}
        />
      </header>
      <SendForm key={sample.to} sample={sample} />
    </section>
  )
}

const MOST_TIMES = 1_000

/** A form for one queue or topic. Give it the name as its key, so that each queue or topic has its own draft. */
function SendForm({ sample }: { readonly sample: DevSample }) {
  const { to, kind, counts, topics, fifo, from } = sample
  const [text, setText] = useState(sampleText(sample))
  const [isNext, setNext] = useState(counts)
  const [typed, setTyped] = useState('1')
  const times = Math.min(MOST_TIMES, Math.max(1, Math.round(Number(typed)) || 1))
  const [twice, setTwice] = useState(false)
  const [by, setBy] = useState('')
  const [id, setId] = useState('')
  const [group, setGroup] = useState('')
  const [sent, setSent] = useState<DevSendAnswer['sent']>([])
  const { busy, failure, run } = useTry()
  const json = isNext ? undefined : parseJson(text)
  const problem = json !== undefined && 'because' in json ? `✖ ${json.because}` : undefined

  const submit = (): void => {
    if (problem !== undefined) return
    run(async () => {
      const body: SendBody = {
        to,
        times,
        twice,
        ...(json !== undefined && 'value' in json && { payload: json.value }),
        ...(by !== '' && { bySns: by }),
        ...(id !== '' && { uniqueRequestId: id }),
        ...(fifo && group !== '' && { group }),
      }
      setSent((await postAnswer<DevSendAnswer>('dev/send', body)).sent)
    })
  }

  return (
    <Form submit={submit}>
      <div class="row">
        <button type="submit" class="main" disabled={busy || problem !== undefined}>
          {times === 1 ? 'Send' : `Send ${times}`} to {to}
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
        <Checkbox
          label="twice"
          help="Each request is delivered twice"
          checked={twice}
          change={setTwice}
        />
        {kind === 'queue' && topics.length > 0 && (
          <Select
            label="By"
            value={by}
            change={setBy}
            options={[
              ['', 'by the queue itself'],
              ...topics.map((topic) => [topic, `by topic ${topic}`] as const),
            ]}
          />
        )}
        {sent[0] !== undefined && (
          <span role="status">
            sent {sent.length > 1 && `${sent.length}, the first is `}
            <Id of={sent[0]} />
          </span>
        )}
      </div>
      <details open={from !== 'file'}>
        <summary>{fifo ? 'Payload, id and group' : 'Payload and id'}</summary>
        {counts && (
          <Checkbox
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
                submit()
              }
            }}
          />
        </label>
        <div id="payload-problem" class="bar" role="status">
          <span class={problem === undefined ? 'faint' : 'tone-bad'}>
            {problem ?? 'Ctrl+Enter sends'}
          </span>
          {!isNext && text !== sampleText(sample) && sample.payload !== undefined && (
            <button type="button" class="quiet" onClick={() => setText(sampleText(sample))}>
              back to the sample
            </button>
          )}
        </div>
        <div class="fields">
          <Field label="uniquerequestid" value={id} change={setId} hint="that of SQS or SNS" code />
          {fifo && <Field label="message group" value={group} change={setGroup} hint="dev" code />}
        </div>
      </details>
      {failure !== undefined && <ApiFailure of={failure} />}
    </Form>
  )
}

function sampleText({ payload }: DevSample): string {
  return JSON.stringify(payload === undefined ? {} : payload, undefined, 2)
}
