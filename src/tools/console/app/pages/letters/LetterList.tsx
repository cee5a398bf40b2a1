import { type Query, valueOf } from '../../address.ts'
import { counted } from '../../parts/words.ts'
import { Answer } from '../../parts/standIns.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { address, go, href, setQuery } from '../../route.ts'
import { type Letter, type LettersAnswer, readOf, seenLetters } from './answers.ts'
import { LetterActions } from './LetterActions.tsx'
import { Crumbs, LetterFilters } from './LetterFilters.tsx'
import { useQueues } from '../../counts.ts'
import { Gone, LookButton, UnreadQueues, useFreshLook, useLook } from './look.tsx'
import { chosenIn, selectionIn, toggled } from './selection.ts'

/** SQS has no pages: these are the first that it gives. */
const MOST = 100

export function LetterList() {
  const { query } = address.value
  const selection = { ...selectionIn(query), most: String(MOST) }
  const { answer: known } = useQueues()
  const look = useLook<LettersAnswer>('letters', selection)
  useFreshLook(known, look)
  return (
    <>
      <Crumbs />
      <LetterFilters queues={known?.queues ?? []} />
      <LookButton of={look} />
      <Answer of={look}>
        {(answer) => {
          seenLetters.clear()
          for (const each of answer.letters) seenLetters.set(each.messageId, each)
          return (
            <>
              <Found answer={answer} />
              <UnreadQueues of={answer.unread} />
            </>
          )
        }}
      </Answer>
    </>
  )
}

function Found({ answer: { letters, looked, visible, more } }: { readonly answer: LettersAnswer }) {
  const { query } = address.value
  const there = new Set(letters.map(({ messageId }) => messageId))
  const chosen = new Set([...chosenIn(query)].filter((id) => there.has(id)))
  const choose = (ids: readonly string[]): void => setQuery({ chosen: ids }, { replace: true })
  if (letters.length === 0) {
    return looked === 0 ? (
      <Gone title="No dead letters here." />
    ) : (
      <Gone title="No dead letter matches any more." />
    )
  }
  const [first] = letters
  return (
    <>
      {valueOf(query['group']) !== '' && first !== undefined && (
        <p class="headline">
          <Status of={first.reason} tone="bad" /> {`${first.of}: ${first.error ?? 'no error'}`}
        </p>
      )}
      <div class="bar">
        <p>
          {chosen.size > 0 ? (
            <b>{chosen.size} chosen</b>
          ) : (
            <b>{counted(letters.length, 'dead letter')}</b>
          )}
          {more && chosen.size === 0 && ` shown, ${readOf({ looked, visible })}`}{' '}
          {chosen.size < letters.length && (
            <button type="button" class="quiet" onClick={() => choose([...there])}>
              choose all shown
            </button>
          )}
          {chosen.size > 0 && (
            <button type="button" class="quiet" onClick={() => choose([])}>
              choose none
            </button>
          )}
        </p>
        <LetterActions
          count={chosen.size > 0 ? chosen.size : more ? undefined : letters.length}
          chosen={chosen}
          reasons={letters
            .filter(({ messageId }) => chosen.size === 0 || chosen.has(messageId))
            .map(({ reason }) => reason)}
        />
      </div>
      <Table
        label="Dead letters"
        columns={COLUMNS}
        rows={letters}
        open={(letter) => go('/letters', ofLetter(letter))}
        selection={{
          has: ({ messageId }) => chosen.has(messageId),
          toggle: ({ messageId }) => choose(toggled(chosen, messageId)),
        }}
      />
      {more && (
        <p class="faint">
          SQS has no pages. A change of all includes dead letters that are not shown; its plan
          counts them.
        </p>
      )}
    </>
  )
}

/** Its page keeps what the list was asked for: the way back. */
function ofLetter({ messageId, queue }: Letter): Query {
  return { ...address.value.query, queue, letter: messageId }
}

const COLUMNS: readonly Column<Letter>[] = [
  {
    title: 'Request',
    cell: (letter) => {
      const request = letter.run ?? letter.uniquerequestid
      return (
        <a class="id cut" href={href('/letters', ofLetter(letter))} title={request}>
          {request}
        </a>
      )
    },
  },
  { title: 'Of', from: 'middle', cell: ({ of }) => of },
  { title: 'Reason', from: 'middle', cell: ({ reason }) => <Status of={reason} tone="bad" /> },
  {
    title: 'Error',
    as: 'main',
    cell: ({ error = '' }) => <span title={error}>{error}</span>,
  },
  { title: 'Attempts', as: 'number', from: 'wide', cell: ({ attempts }) => attempts ?? '' },
  { title: 'Bytes', as: 'number', from: 'wide', cell: ({ bytes }) => bytes.toLocaleString('en') },
  { title: 'Dead since', cell: ({ sentAt }) => <Time at={sentAt} /> },
]
