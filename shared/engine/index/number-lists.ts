const FIRST_SIZE = 1 << 12
const GROWTH = 1.25

/**
 * Many growable lists of 32-bit numbers in one array. A list lies in a block of one of four sizes an octave; a block
 * that is left is used again by the next list of its size. One typed array per list would cost more in headers than in
 * numbers.
 */
export class NumberLists {
  #data = new Uint32Array(FIRST_SIZE)
  #top = 0
  #live = 0
  #starts = new Uint32Array(256)
  #lengths = new Uint32Array(256)
  #classes = new Uint8Array(256)
  #count = 0
  #freeIds: number[] = []
  #freeBlocks: number[][] = []

  /** The array all lists lie in. It is replaced when it grows: read it anew after any change. */
  get data(): Uint32Array {
    return this.#data
  }

  get bytes(): number {
    return this.#data.byteLength + this.#starts.byteLength * 2 + this.#classes.byteLength
  }

  /** Ids given out so far are below this. */
  get idLimit(): number {
    return this.#count
  }

  start(list: number): number {
    return this.#starts[list]!
  }

  length(list: number): number {
    return this.#lengths[list]!
  }

  create(capacity = 1): number {
    const list = this.#freeIds.pop() ?? this.#newId()
    const size = sizeClass(capacity)
    this.#starts[list] = this.#allocate(size)
    this.#classes[list] = size
    this.#lengths[list] = 0
    return list
  }

  free(list: number): void {
    const size = this.#classes[list]!
    if (size === 0) return
    this.#release(this.#starts[list]!, size)
    this.#classes[list] = 0
    this.#lengths[list] = 0
    this.#freeIds.push(list)
  }

  insert(list: number, at: number, value: number): void {
    const length = this.#lengths[list]!
    this.#reserve(list, length + 1)
    const start = this.#starts[list]!
    if (at < length) this.#data.copyWithin(start + at + 1, start + at, start + length)
    this.#data[start + at] = value
    this.#lengths[list] = length + 1
  }

  removeAt(list: number, at: number): void {
    const length = this.#lengths[list]!
    const start = this.#starts[list]!
    this.#data.copyWithin(start + at, start + at + 1, start + length)
    this.#lengths[list] = length - 1
    const size = this.#classes[list]!
    // Shrink at a quarter, so that a list at the edge of a class does not move to and fro.
    if (size > 1 && length - 1 <= sizeOf(size) >> 2) this.#move(list, sizeClass(Math.max(1, length - 1)))
    if (this.#data.length > FIRST_SIZE * 16 && this.#live < this.#top >> 2) this.#compact()
  }

  #newId(): number {
    if (this.#count === this.#starts.length) {
      this.#starts = grown(this.#starts)
      this.#lengths = grown(this.#lengths)
      const classes = new Uint8Array(this.#starts.length)
      classes.set(this.#classes)
      this.#classes = classes
    }
    return this.#count++
  }

  #reserve(list: number, length: number): void {
    if (length > sizeOf(this.#classes[list]!)) this.#move(list, sizeClass(length))
  }

  #move(list: number, size: number): void {
    const from = this.#starts[list]!
    const to = this.#allocate(size)
    this.#data.copyWithin(to, from, from + this.#lengths[list]!)
    this.#release(from, this.#classes[list]!)
    this.#starts[list] = to
    this.#classes[list] = size
  }

  #allocate(size: number): number {
    this.#live += sizeOf(size)
    const block = this.#freeBlocks[size]?.pop()
    if (block !== undefined) return block
    const start = this.#top
    this.#top += sizeOf(size)
    if (this.#top > this.#data.length) {
      const data = new Uint32Array(Math.max(this.#top, Math.ceil(this.#data.length * GROWTH)))
      data.set(this.#data)
      this.#data = data
    }
    return start
  }

  #release(start: number, size: number): void {
    this.#live -= sizeOf(size)
    ;(this.#freeBlocks[size] ??= []).push(start)
  }

  #compact(): void {
    const data = new Uint32Array(Math.max(FIRST_SIZE, Math.ceil(this.#live * GROWTH)))
    let top = 0
    for (let list = 0; list < this.#count; list++) {
      const size = this.#classes[list]!
      if (size === 0) continue
      const start = this.#starts[list]!
      data.set(this.#data.subarray(start, start + this.#lengths[list]!), top)
      this.#starts[list] = top
      top += sizeOf(size)
    }
    this.#data = data
    this.#top = top
    this.#freeBlocks = []
  }
}

/** Smallest class that holds so many numbers; 1 to 8, then 10, 12, 14, 16, 20, … Class 0 is "none". */
function sizeClass(capacity: number): number {
  if (capacity <= 4) return Math.max(1, capacity)
  const octave = 31 - Math.clz32(capacity - 1)
  return 4 * (octave - 1) + ((capacity - 1) >> (octave - 2)) - 3
}

function sizeOf(size: number): number {
  if (size <= 4) return size
  const octave = ((size - 5) >> 2) + 2
  return (((size - 5) & 3) + 5) << (octave - 2)
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.ceil(array.length * GROWTH))
  larger.set(array)
  return larger
}
