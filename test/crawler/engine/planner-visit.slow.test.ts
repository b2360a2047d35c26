import "./planner-visit.test.ts";
