import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { expect, onTestFinished } from 'vitest'
import { startCloud } from '../../cli/operatorHarness.ts'
import { text } from '../../operator/dlqHarness.ts'
import { addressesOf, paths } from './addresses.ts'
import { it } from './browse.ts'
import { type ConsoleOfTest, consoleOn } from './consoleAt.ts'
import { see } from './hands.ts'
import { wrongLayout } from './layout.ts'
import type { Tab } from './tab.ts'

const NARROW = 420

async function lookAt(tab: Tab, addresses: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const address of addresses) {
    await tab.open(address)
    wrong.push(...(await wrongLayout(tab)).map((each) => `${address}: ${each}`))
  }
  return wrong
}

it('at 420 pixels nothing on any page overlaps, is cut off or makes it scroll sideways', async ({
  shops,
  tabOf,
}) => {
  const tab = await tabOf(await shops.broken(), { width: NARROW })
  expect(
    await lookAt(
      tab,
      paths().flatMap((path) => addressesOf(path, 'broken')),
    ),
  ).toEqual([])
  const dev = await tabOf(await shops.dev(), { width: NARROW })
  expect(await lookAt(dev, paths('dev'))).toEqual([])
})

it.for([NARROW, 1280])(
  'nor on the page of 1,000 dead letters, at %i pixels',
  async (width, { tabOf }) => {
    const tab = await tabOf(await thousandLetters(), { width })
    const lists = ['/letters?queue=dead', '/letters?queue=dead&list=1']
    expect(await lookAt(tab, ['/letters', ...lists])).toEqual([])
    await tab.page
      .getByRole('button', { name: /^Show more/ })
      .first()
      .click()
    expect(await wrongLayout(tab)).toEqual([])
    expect(await see(tab, /1,000/)).not.toContain('undefined')
  },
)

it('what is wrong with a layout is seen', async ({ browser }) => {
  const page = await browser.newPage()
  await page.setContent(`<p>over</p><p style="margin-top:-35px">lapping</p>
    <p style="width:40px;overflow:hidden;white-space:nowrap">cut without an ellipsis</p>
    <p style="width:40px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis">no title</p>
    <p style="margin-left:calc(100vw - 40px);white-space:nowrap">wider than the page</p>
    <a style="display:block;height:10px;line-height:40px">below</a>`)
  expect(await wrongLayout({ page })).toEqual([
    expect.stringMatching(/^it scrolls sideways/),
    '“cut without an ellipsis” is cut off by P',
    '“no title” is cut, and has no title',
    '“wider than the page” leaves the page',
    '“below” hangs below the line that it belongs to',
    '“over” and “lapping” overlap',
  ])
  await page.close()
})

/** Forty causes, some of them longer than a line, on one queue. */
async function thousandLetters(): Promise<ConsoleOfTest> {
  const cloud = await startCloud()
  onTestFinished(() => cloud.stop())
  for (let first = 0; first < 1_000; first += 10) {
    const Entries = Array.from({ length: 10 }, (_, at) => entryOf(first + at))
    const QueueUrl = cloud.queueUrl('dead')
    await cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  }
  const { dynamodb, sqs } = cloud.endpoints
  const console = await consoleOn({ dynamodb, sqs, table: 'lineclear' })
  onTestFinished(console.stop)
  return console
}

function entryOf(nth: number) {
  const cause = nth % 40
  const error = `Error: bank of ${'Llanfairpwllgwyngyll'.repeat(1 + (cause % 4))} says ${400 + cause}`
  const about = { format: 1, resendNumber: 0, hops: 0, attempts: 2, death: 1 }
  const lineclear = { ...about, reason: 'exhausted', error, consumer: `consumer-${cause % 7}` }
  const id = `order-${nth}-${'x'.repeat(nth % 90)}`
  return {
    Id: `m${nth}`,
    MessageBody: JSON.stringify({ id, note: 'y'.repeat(nth % 900) }),
    MessageAttributes: { uniquerequestid: text(id), lineclear: text(JSON.stringify(lineclear)) },
  }
}
