import { useEffect, useRef } from 'preact/hooks'
import { type Page, PAGES } from '../pages.ts'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { PlanDialog } from '../parts/PlanDialog.tsx'
import { ToastList } from '../parts/toast.tsx'
import { address, followLinks } from '../route.ts'
import { session, sessionFailure } from '../session.ts'
import { Header } from './Header.tsx'
import { Navigation } from './Navigation.tsx'
import { Pauses } from './Pauses.tsx'

/** Everything that is on the screen. */
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
      <ToastList />
    </div>
  )
}

function Content({ page }: { readonly page: Page | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${page?.title ?? 'Not found'} · Lineclear`
    // Who reads by ear is told of the new page. The first one is announced by the browser.
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
      {failure !== undefined && <Failure of={failure} />}
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
