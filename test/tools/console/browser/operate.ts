import type { BrokenShop } from '../../../documents/broken/brokenShop.ts'
import { type Hands, see } from './hands.ts'
import type { Tab } from './tab.ts'
import type { Step } from './tasks.ts'

type Fixable = Pick<BrokenShop, 'fix'>

/** Does the steps of a task, from the page that is open. Where one cannot be done, a picture is kept. */
export async function operate(
  tab: Tab,
  hands: Hands,
  steps: readonly Step[],
  shop: Fixable,
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    try {
      await take(tab, hands, step, shop)
    } catch (cause) {
      await tab.shot(`failed/${steps.length}-steps-${at}`)
      throw new Error(`step ${at}, ${Object.values(step).join(' ')}, on ${tab.page.url()}`, {
        cause,
      })
    }
  }
}

async function take(tab: Tab, hands: Hands, step: Step, shop: Fixable): Promise<void> {
  if ('page' in step) await hands.choose(step.page)
  else if ('choose' in step) await hands.choose(step.choose)
  else if ('type' in step) await hands.type(...step.type)
  else if ('tick' in step) await hands.tick(step.tick)
  else if ('see' in step) await see(tab, step.see)
  else if ('fix' in step) await shop.fix(step.fix)
  else await hands.search(step.search)
}
