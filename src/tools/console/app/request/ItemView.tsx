import { Copied } from '../parts/AsCommand.tsx'
import { ErrorView } from '../parts/ErrorView.tsx'
import { Id } from '../parts/Id.tsx'
import { Status } from '../parts/Status.tsx'
import { type FactsOf, type ExplainedItem, linksIn, statusOf } from './item.ts'

interface ItemViewProps {
  readonly of: ExplainedItem
  /** Its error is shown at the top of the page. */
  readonly isMain: boolean
}

export function ItemView({ of: { title, state, facts }, isMain }: ItemViewProps) {
  const links = linksIn(facts)
  return (
    <section class="item">
      <h2>
        {title} <Status of={statusOf(facts)} />
      </h2>
      <ul class="lines">
        {state.map((line, at) => (
          <li key={at}>{line}</li>
        ))}
      </ul>
      {links.length > 0 && (
        <p class="row">
          <span class="faint">Look at</span>
          {links.map((link) => (
            <Id key={link.of} {...link} />
          ))}
        </p>
      )}
      {!isMain && 'error' in facts && <ErrorView error={facts.error} stack={facts.stack} />}
      {'logs' in facts && <LogQuery of={facts.logs} />}
    </section>
  )
}

function LogQuery({
  of: { logGroup, request, invocation },
}: {
  readonly of: FactsOf<'flow'>['logs']
}) {
  return (
    <details class="log-query">
      <summary class="faint">Its log in CloudWatch</summary>
      {logGroup !== undefined && (
        <p>
          Log group <code>{logGroup}</code>
        </p>
      )}
      {[request, invocation].map(
        (query) =>
          query !== undefined && (
            <p key={query}>
              <Copied of={query} what="Query" />
            </p>
          ),
      )}
    </details>
  )
}
