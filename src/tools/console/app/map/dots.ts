/** Dots that run along paths, for messages that have moved. */
export interface Dots {
  /** @param wait until it starts, milliseconds */
  run(path: SVGPathElement, count: number, wait?: number): void
  stop(): void
}

/** How long a dot is on its way. Milliseconds. */
export const ON_THE_WAY = 550
/** Between two dots on one path. */
const APART = 70
/** More are not told apart, and cost time. */
const MOST_OF_ONE = 5
const MOST = 60

interface Dot {
  readonly circle: SVGCircleElement
  readonly path: SVGPathElement
  readonly length: number
  readonly begins: number
}

/** @param layer where the dots are drawn */
export function newDots(layer: SVGGElement): Dots {
  let dots: Dot[] = []
  let asked = 0

  function draw(now: number): void {
    dots = dots.filter(({ circle, path, length, begins }) => {
      const share = (now - begins) / ON_THE_WAY
      if (share >= 1 || !path.isConnected) {
        circle.remove()
        return false
      }
      const { x, y } = path.getPointAtLength(length * Math.max(0, share))
      circle.setAttribute('cx', String(x))
      circle.setAttribute('cy', String(y))
      circle.classList.toggle('waits', share < 0)
      return true
    })
    asked = dots.length === 0 ? 0 : requestAnimationFrame(draw)
  }

  return {
    run(path, count, wait = 0) {
      const length = path.getTotalLength()
      const number = Math.min(count, MOST_OF_ONE, MOST - dots.length)
      for (let each = 0; each < number; each += 1) {
        const circle = document.createElementNS(layer.namespaceURI, 'circle') as SVGCircleElement
        // Many at once are one larger dot at the head.
        circle.setAttribute('r', count > MOST_OF_ONE && each === 0 ? '5' : '3.5')
        circle.setAttribute('class', 'dot waits')
        layer.append(circle)
        dots.push({ circle, path, length, begins: performance.now() + wait + each * APART })
      }
      if (asked === 0 && dots.length > 0) asked = requestAnimationFrame(draw)
    },
    stop() {
      cancelAnimationFrame(asked)
      asked = 0
      for (const { circle } of dots) circle.remove()
      dots = []
    },
  }
}
