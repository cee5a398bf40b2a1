import { useEffect, useRef } from 'preact/hooks'
import { type Page, PAGES } from '../pages.ts'
import { Empty, ApiFailure, Skeleton } from '../parts/standIns.tsx'
import { PlanDialog } from '../parts/PlanDialog.tsx'
import { Toast } from '../parts/AsCommand.tsx'
import { address, followLinks } from '../route.ts'
import { session, sessionFailure } from '../api.ts'
import { Header } from './Header.tsx'
import { Navigation } from './Navigation.tsx'
import { usePauses } from '../counts.ts'
import { PlanButton } from '../parts/StepButton.tsx'
import { Time } from '../parts/Time.tsx'

export function Shell() {
  const { path } = address.value
  const page = PAGES.find((each) => each.path === path)
  return (
    <div class="shell" onClick={followLinks}>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header />
      <Navigation />
      <main id="main">
        {session.value !== undefined && <Pauses />}
        <Content page={page} />
      </main>
      <PlanDialog />
      <Toast />
    </div>
  )
}

function Content({ page }: { readonly page: Page | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${page?.title ?? 'Not found'} · Lineclear`
    // Screen readers announce the new page by its focused heading. The browser announces the first one itself.
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
    scrollTo(0, 0)
  }, [page])
  const failure = sessionFailure.value
  return (
    <>
      <h1 ref={heading} tabIndex={-1} class={page?.title === undefined ? '' : 'page-title'}>
        {page?.title ?? 'Not found'}
      </h1>
      {failure !== undefined && <ApiFailure of={failure} />}
      {page === undefined ? (
        <Empty title="There is no such page.">
          <a href="/">To the overview</a>
        </Empty>
      ) : session.value === undefined ? (
        failure === undefined && <Skeleton />
      ) : (
        <page.View key={page.path} />
      )}
    </>
  )
}

/** Every page shows what is paused: a pause that was forgotten is an outage. */
function Pauses() {
  const pauses = usePauses().answer?.pauses ?? []
  if (pauses.length === 0) return null
  return (
    <div class="banner" role="status">
      {pauses.map(({ mapping, queue, by, why, until }) => (
        <p key={mapping}>
          <b>
            <span aria-hidden="true">= </span>Paused
          </b>
          {queue.split(':').at(-1) ?? mapping}
          {until === null ? (
            <span>no end: paused until you resume it</span>
          ) : (
            <span>
              ends <Time at={until} />
            </span>
          )}
          <span class="faint">{[by, why].filter((each) => each !== '').join(': ')}</span>
          <PlanButton of={{ action: 'resume', given: { mapping }, title: 'Resume' }} />
        </p>
      ))}
    </div>
  )
}
