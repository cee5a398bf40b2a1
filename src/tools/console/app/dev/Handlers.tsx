import type { DevError, DevState } from '../../dev/types.ts'
import { Time } from '../parts/Time.tsx'
import { counted } from '../parts/words.ts'
import { Glyph, Looks } from '../parts/Status.tsx'

const LOOKS = {
  ready: { glyph: '✔', tone: 'good', word: 'ready' },
  loading: { glyph: '●', tone: 'wait', word: 'loading' },
  broken: { glyph: '✖', tone: 'bad', word: 'broken' },
} as const

export function Handlers({ of }: { readonly of: DevState }) {
  const { file, state, since, error, reloads, reloadMs, files, seed } = of
  const { glyph, tone, word } = LOOKS[state]
  return (
    <section class="handlers" aria-label="Handlers">
      <p class="row">
        <code>{file}</code>
        <Looks like={{ tone, glyph }} role="status">
          {word}
        </Looks>
        <Time at={since} />
        <span class="faint" title={files.join('\n')}>
          {counted(reloads, 'reload')}
          {reloadMs !== undefined && `, ${Math.round(reloadMs)} ms`} ·{' '}
          {counted(files.length, 'file')} · seed {seed}
        </span>
      </p>
      {error !== undefined && <Broken of={error} />}
    </section>
  )
}

function Broken({ of: { kind, message, file, line, retryAt } }: { readonly of: DevError }) {
  const place = file === undefined ? undefined : line === undefined ? file : `${file}:${line}`
  return (
    <div class="failure broken" role="alert">
      <p class="failure-title">
        <Glyph of="✖" />
        {kind === 'died' ? 'The handlers’ process has ended' : 'The handlers cannot be loaded'}
        {place !== undefined && <code> {place}</code>}
      </p>
      <pre>{message}</pre>
      <p>
        Nothing runs, and no message is lost: messages wait on their queues.{' '}
        {retryAt === undefined ? (
          'Save a file to load the handlers again.'
        ) : (
          <>
            The next try is <Time at={retryAt} />.
          </>
        )}
      </p>
    </div>
  )
}
