// The map. One topic is in the order of the Tab key; arrow keys go to the next circle in their direction.
const NARROW = 430;
const EMPTY = { width: 560, height: 430, spots: [] };
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const list = { type: Array, default: () => [] };

export default {
  template: `
    <svg class="map" role="group" aria-label="Map of topics" :viewBox="box" @keydown="step">
      <g v-for="spot in map.spots" :key="spot.topic" role="button" :ref="(node) => (nodes[spot.topic] = node)"
         :tabindex="spot.topic === reached ? 0 : -1" :aria-label="spot.title" :aria-pressed="String(spot.topic === chosen)"
         :class="['spot', { chosen: spot.topic === chosen, near: near.includes(spot.topic), changed: changed.includes(spot.topic) }]"
         :style="{ transform: 'translate(' + spot.x + 'px,' + spot.y + 'px)' }"
         @click="choose(spot.topic)" @keydown.enter.prevent="choose(spot.topic)" @keydown.space.prevent="choose(spot.topic)">
        <title>{{ spot.title }}</title>
        <circle class="mark" :r="spot.r + 4"></circle>
        <circle class="disc" :r="spot.r"></circle>
        <text v-if="spot.mark" class="number" dy=".35em">{{ spot.mark }}</text>
      </g>
      <text v-for="spot in named" :key="'name' + spot.topic" class="name" :class="{ chosen: spot.topic === chosen }"
            :x="spot.at[0]" :y="spot.at[1]" dy=".35em" aria-hidden="true">{{ spot.name }}</text>
    </svg>`,
  props: { maps: { type: Object, default: () => ({ wide: EMPTY, narrow: EMPTY }) }, chosen: Number, near: list, changed: list },
  emits: ["choose"],
  data: () => ({ narrow: false, focused: null, nodes: {} }),
  computed: {
    map() { return this.narrow ? this.maps.narrow : this.maps.wide; },
    box() { return `0 0 ${this.map.width} ${this.map.height}`; },
    named() {
      const isShown = (spot) => spot.name_at || spot.topic === this.chosen;
      return this.map.spots.filter(isShown).map((spot) => ({ ...spot, at: spot.name_at ?? [spot.x, spot.y + spot.r + 9] }));
    },
    reached() {
      const here = (topic) => this.map.spots.some((spot) => spot.topic === topic);
      return [this.focused, this.chosen].find(here) ?? this.map.spots[0]?.topic;
    },
  },
  mounted() {
    this.watcher = new ResizeObserver(([entry]) => (this.narrow = entry.contentRect.width < NARROW));
    this.watcher.observe(this.$el);
  },
  unmounted() { this.watcher.disconnect(); },
  methods: {
    choose(topic) {
      this.focused = topic;
      this.$emit("choose", topic);
    },
    step(event) {
      const way = WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      const from = this.map.spots.find((spot) => spot.topic === this.reached);
      let best = null, least = Infinity;
      for (const spot of this.map.spots) {
        const [x, y] = [spot.x - from.x, spot.y - from.y];
        const along = x * way[0] + y * way[1], aside = Math.abs(x * way[1]) + Math.abs(y * way[0]);
        const cost = along + 2 * aside;
        if (along > 0 && aside <= 2 * along && cost < least) [best, least] = [spot, cost];
      }
      if (!best) return;
      this.focused = best.topic;
      this.$nextTick(() => this.nodes[best.topic].focus());
    },
  },
};
