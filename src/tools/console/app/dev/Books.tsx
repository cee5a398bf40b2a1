import type { DevBook, Offence } from '../../dev/types.ts'
import { Id } from '../parts/Id.tsx'
import { Looks } from '../parts/Status.tsx'
import { useBooks } from './devState.ts'
import { SaveTest } from './SaveTest.tsx'

const LOOKS = {
  green: { glyph: '✔', tone: 'good', word: 'right' },
  red: { glyph: '✖', tone: 'bad', word: 'wrong' },
  failed: { glyph: '!', tone: 'warn', word: 'failed' },
  waiting: { glyph: '…', tone: 'wait', word: 'when all is at rest' },
  unknown: { glyph: '·', tone: 'quiet', word: 'not read yet' },
} as const

export function Books() {
  const of = useBooks().answer
  const books = of?.books ?? []
  const wrong = books.filter(({ state }) => state === 'red').length
  const unread = books.filter(({ state }) => state === 'failed' || state === 'unknown').length
  return (
    <section class="dev-part">
      <header>
        <h2>Books</h2>
        <p role="status" class={wrong > 0 ? 'tone-bad' : 'faint'}>
          {of === undefined
            ? 'not read yet'
            : wrong > 0
              ? `${wrong} of ${books.length} wrong`
              : unread > 0
                ? `${unread} of ${books.length} could not be read`
                : of.atRest
                  ? 'all right, at rest'
                  : 'right so far'}
        </p>
        <SaveTest />
      </header>
      <ul class="books">
        {books.map((book) => (
          <Book key={`${book.kind} ${book.name}`} of={book} />
        ))}
      </ul>
    </section>
  )
}

function Book({ of: { name, kind, state, offending, count, note } }: { readonly of: DevBook }) {
  const { glyph, tone, word } = LOOKS[state]
  return (
    <li>
      {/* With another key it is another element, and the red one comes in with its animation. */}
      <p key={state} class={state === 'red' ? 'book red' : 'book'}>
        <Looks like={{ tone, glyph }}>
          <span class="unseen">{word}: </span>
        </Looks>
        <span class="book-text">
          {name}
          {state !== 'green' && state !== 'red' && <span class={`tone-${tone}`}>{word}</span>}
          {note !== undefined && <span class="faint">{note}</span>}
        </span>
        {kind === 'own' && <span class="faint own">yours</span>}
      </p>
      {offending.length > 0 && <Offenders of={offending} count={count} />}
    </li>
  )
}

function Offenders({ of, count }: { readonly of: readonly Offence[]; readonly count: number }) {
  return (
    <ul class="offenders">
      {of.map(({ request, text }, at) => (
        <li key={at}>
          {request !== undefined && <Id of={request} />} {text}
        </li>
      ))}
      {count > of.length && <li class="faint">and {count - of.length} more</li>}
    </ul>
  )
}
