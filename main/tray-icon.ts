/** The mark of Loom (the shape of renderer/icon.svg, without its ground) as a PNG of 44 and of 36 pixels, for the tray. */
export const TRAY_ICON = {
  colour: dataUrl([
    'iVBORw0KGgoAAAANSUhEUgAAACwAAAAsCAYAAAAehFoBAAADAklEQVR4nOyZy08TURTGvzMUElyI8bFTiSxM1NC6gA0LH5GEf0CI0QWJkCgspJi671qQhxof',
    'sZC4cQH+AyQYHwtiIgtb1IUJJiqu1CguJJF2jvcQmjCl7dyZuW1p0t+m07nn3vPl5t7znaYWqgwLVUZNcKmpbsHhR3eOYIeRq8kh2LbW28NT4y8Ozow1osKI',
    'BtHClGnb+n7bkSDQ6X1/rIWjD0f3o0JIbtEgWnLH8p9hwsnGurrF448nDqPMSE7JLRryjRe+dETN9Wksnpi6HUGZkFySU3IXinGrEgdCbC+0JiZOocSEE5Pn',
    'JJfkLBbnXtYIu1TQfHh6/DxKhKxNxHOSyy1Wrw4T6olpNjI1eRWGCSfGY2CaUY91OvEejYPvqwQjMIRa6x4RjZBsiSYheEQliEUSE83Jld8XEI/b8MPzeCiy',
    'vOeJktkNj/izZpUofKhpzo/BbBjCp6Z5P2IF372EKuqdXg2mmCHoEqz58WAwrdNjLcUMQZfg3ZqGwcgY2fSmmCHoYqq9LGgwWUNQl3UvDGCuH85jMF4MQRdH',
    'WbOIbDD8s2kwalejIG4gxk0EhCx2KHLsMNukXcCLZ7FJudc/GCBXk2OHWRIFOSWMdbb4Yury8FP5qo7EN7WkGEQ9DGHuDDP+KtvrzIoV5FneyRgMYUrw9zRZ',
    'HUv90Ve5A/JOxiQGBggumPnzeght7/uuJQuFyJjESCwCEkww4+1aJtP2oTf6xS1UYiRW5iAAvgUzeP7nbrvj45XYD905Eitz1NyX8Ik/wYzZ1NfVrpWe62vw',
    'iMxJtazKRZyFDzz3w8w8muofvoEgnI2n1YHv2WzgB7xM9bjDNBBY7BbUWoPqI8bQ91c9wWIIxN3JvqEHMEyyL3pL2XiPeszoxLsLzmMIppG1malLx2DcBBc0',
    'BNOk+oee6RhMQcGqR1p2MwTT6BhMfsGquHNjQ7uOIZjGzWC2Cc4awtKlwV+oEMUMxlGH7ZD1+l1vdAY7ADGYFeDMscRdx+9AMw17Gan9KVNqaoJLzX8AAAD/',
    '//CVD74AAAAGSURBVAMA8p8+1Kw5Rz8AAAAASUVORK5CYII=',
  ]),
  /** For the bar of a Mac, which looks at its transparency alone. */
  black: dataUrl([
    'iVBORw0KGgoAAAANSUhEUgAAACQAAAAkCAYAAADhAJiYAAABtklEQVR4nOyYsU7CUBiFD0Riwo4rib4ACxMDEw7usPgEMPsYzPgELrI76MRgHFx4AhMGF91d',
    'HPQ/4bfQS29ve3vbNIYvOYHS297Ty/+fS2iiZjRRM46GXJiGLlA9sTlNQy+iHqqjp3NGmIY6omfREOUz1Lk6SDFE2qIn0RjlMdY52uYJW1G3RPeiKcIz1Xu3',
    'kk66umwhmiMcc72nlYZx/GMZtxRdi77hB1fjDvYyaBy8cRgiK9GV6Av5YJ08IL1RvAyRtehS9IlssIMe4Y4Sb0Nkg+3TbhzjutiuahduIh8+WwcneEX6U/d0',
    'TBYzMXz3srQATQy8sg2RpAC1Bl5WfGooiZm+LuBH5OMEYThFIIoaYlAyMJd6/I5tALbgSZGvjAHJoFwZn7OoGYR56qhQDhEGIwNybTnPtmcgZu20/xOMXJF+',
    'BjPQMX3YVzGRPIb4tANk38egYwc4rLPChthFI+Tf6aHXjLDrxMKGbkUT+P8Wgl470Xt5G2KB32CXwiGY6T2tzWPrMjPwQsM9bz9AU9veFnih2Q9Qq6EPpAde',
    'aP4C9AwWQ+eiN1RLbM4Gasbx7xgXtTP0CwAA///aKeZoAAAABklEQVQDAEiwU29hB5fyAAAAAElFTkSuQmCC',
  ]),
}

function dataUrl(parts: readonly string[]): string {
  return `data:image/png;base64,${parts.join('')}`
}
